package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Line;

/** P14, P18 and P20: what is left behind. */
record EndChecks(History history, Verdict verdict) {
    void run() {
        for (Line line : history.lines) {
            switch (line.event()) {
                case "left" -> {
                    if (!line.text("what").isEmpty()) {
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
        verdict.count("closed_in_a_callback");
        if (line.number("left") > 0) {
            long at = line.number("t");
            // A store that did not answer while the client was closing cannot have been told; such a close may also
            // take long.
            if (quiet(at)) {
                verdict.violated(
                        "P18", at, "the closed client " + line.text("client") + " still holds " + line.text("what"));
            } else {
                verdict.count("left_after_close_in_an_outage");
            }
        }
    }

    private void closeFailed(Line line) {
        if (quiet(line.number("t"))) {
            verdict.violated("P18", line.number("t"), "a client could not be closed from its callback: " + line);
        }
    }

    private boolean quiet(long at) {
        long before = history.leaseNanos() + history.timeoutNanos();
        return history.faults.stream()
                .filter(fault -> !fault.what().equals("closed-in-callback"))
                .noneMatch(fault -> fault.mayTouch(at - before, at));
    }
}
