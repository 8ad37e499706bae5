package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Line;

/** P7 and the controls: what the registers of the referee have lost. */
record RegisterChecks(History history, Verdict verdict) {
    void run() {
        for (Line line : history.lines) {
            if (line.event().equals("write") && line.is("lost")) {
                verdict.count(which(line));
            }
            if (line.event().equals("gcas") && line.is("done")) {
                guarded(line);
            }
        }
    }

    private static String which(Line write) {
        if (write.is("control")) {
            return "lost_updates_without_locks";
        }
        return write.is("staged") ? "lost_updates_staged" : "lost_updates_unguarded";
    }

    private void guarded(Line line) {
        if (line.is("lost")) {
            verdict.count("lost_updates_guarded");
            verdict.violated("P7", line.number("t"), "the guarded register lost an update: " + line);
        }
        if (line.is("back")) {
            verdict.violated("P7", line.number("t"), "the guard let a smaller token through: " + line);
        }
    }
}
