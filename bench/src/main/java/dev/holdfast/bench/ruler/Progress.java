package dev.holdfast.bench.ruler;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** One line that tells where a run is, over and over. Used by one thread. */
final class Progress {
    private static final int WIDTH = 100;

    private final PrintStream out;
    private final int scenarios;
    private final long begin = System.nanoTime();
    private String scenario = "";
    private int begun;

    Progress(PrintStream out, int scenarios) {
        this.out = out;
        this.scenarios = scenarios;
    }

    void begin(Store store, Scenario next) {
        begun++;
        scenario = store.word() + " " + next.name();
        show("starting");
    }

    void show(String what) {
        Duration elapsed = elapsed();
        String line = String.format(
                Locale.ROOT,
                "%d:%02d  %d of %d: %s, %s",
                elapsed.toMinutes(),
                elapsed.toSecondsPart(),
                begun,
                scenarios,
                scenario,
                what);
        out.printf("\r%-" + WIDTH + "." + WIDTH + "s", line);
        out.flush();
    }

    /** Makes room for the report. */
    void clear() {
        out.printf("\r%-" + WIDTH + "s\r", "");
        out.flush();
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
