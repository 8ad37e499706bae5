package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Line;

/** P14, P18 and P20: what is left behind. */
record EndChecks(History history, Verdict verdict) {
    void run() {
        for (Line line : history.lines) {
            switch (line.event()) {
                case "left" -> {
                    if (line.text("what").startsWith("?")) {
                        verdict.late(
                                "P19", line.number("t"), "the store does not say what is left: " + line.text("what"));
                    } else if (!line.text("what").isEmpty()) {
                        verdict.violated("P14", line.number("t"), "left in the store: " + line.text("what"));
                    }
                }
                case "afterClose" -> closed(line);
                case "closeFailed" -> closeFailed(line);
                case "stuck" -> verdict.violated("P12", line.number("t"), "a thread never came back: " + line);
                case "died" -> verdict.violated("P2", line.number("t"), "an exception that nobody promised: " + line);
                default -> {
                    // Looked at elsewhere.
                }
            }
        }
    }

    private void closed(Line line) {
        verdict.count("clients_closed");
        if (line.number("left") > 0) {
            long at = line.number("t");
            // A store that did not answer while the client was closing cannot have been told; such a close may also
            // take long.
            String text = "the closed client " + line.text("client") + " still holds " + line.text("what");
            boolean quiet = quiet(line.text("p"), at);
            if (quiet && closing(line.text("client")) < history.timeoutNanos() / 2) {
                verdict.violated("P18", at, text);
            } else if (quiet) {
                verdict.late("P18", at, text);
            } else {
                verdict.count("left_after_close_in_an_outage");
            }
        }
    }

    private void closeFailed(Line line) {
        if (quiet(line.text("p"), line.number("t"))) {
            verdict.late("P18", line.number("t"), "a client could not be closed from its callback in time: " + line);
        }
    }

    /** How long {@code close()} took: one that ended long before the command timeout has had all answers. */
    private long closing(String client) {
        return history.lines.stream()
                .filter(line ->
                        line.event().equals("closed") && line.text("client").equals(client))
                .mapToLong(line -> line.number("n") - line.number("from"))
                .findFirst()
                .orElse(Op.NEVER);
    }

    /** Whether the store answered a process for a while. */
    private boolean quiet(String process, long at) {
        long before = history.leaseNanos() + history.timeoutNanos();
        return history.faults.stream()
                .filter(fault -> !fault.isOfAWorker() || fault.isOf(process))
                .filter(fault -> !fault.what().equals("closed-in-callback"))
                .noneMatch(fault -> fault.mayTouch(at - before, at));
    }
}
