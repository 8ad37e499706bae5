package dev.holdfast.cli.run;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.LockView;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Printable;
import dev.holdfast.cli.console.Terminal;
import dev.holdfast.cli.console.Who;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says on a terminal who holds the lock that is waited for, for how long, and our place in the line: one line of standard
 * error that is written again every second and disappears when the wait is over. A wait of less than a second shows
 * nothing. A terminal that cannot move its cursor gets a line when something has changed. Thread-safe.
 */
final class WaitingLine implements AutoCloseable {
    private static final String COLUMNS_PROPERTY = "holdfast.waiting";
    private static final Duration BETWEEN = Duration.ofSeconds(1);
    private static final String CLEAR = "\r\u001b[K";

    private final Holdfast client;
    private final List<String> names;
    private final Terminal terminal;
    private final boolean movable;
    private final @Nullable Thread writer;

    /** Whether something stands on the line; guarded by this. */
    private boolean shown;

    /** Guarded by this. */
    private boolean over;

    private String last = "";

    private WaitingLine(Holdfast client, List<String> names, Terminal terminal, boolean movable) {
        this.client = client;
        this.names = names;
        this.terminal = terminal;
        this.movable = movable;
        this.writer = terminal.isTerminal() ? new Thread(this::write, "holdfast-waiting") : null;
    }

    /** Begins to wait; does nothing if standard error is no terminal. */
    static WaitingLine show(Holdfast client, List<String> names) {
        Terminal terminal = Terminal.of(System.getProperty(COLUMNS_PROPERTY), System.getenv());
        boolean movable = !System.getenv().getOrDefault("TERM", "dumb").equals("dumb");
        WaitingLine line = new WaitingLine(client, names, terminal, movable);
        if (line.writer != null) {
            line.writer.setDaemon(true);
            line.writer.start();
        }
        return line;
    }

    private void write() {
        try {
            while (rest()) {
                print();
            }
        } catch (InterruptedException ended) {
            // The wait is over.
            Thread.currentThread().interrupt();
        }
    }

    /** {@return whether there is still somebody who waits, after a pause} */
    private synchronized boolean rest() throws InterruptedException {
        long until = System.nanoTime() + BETWEEN.toNanos();
        for (long left = BETWEEN.toMillis(); !over && left > 0; left = (until - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
        return !over;
    }

    private void print() {
        String text;
        try {
            text = names.stream()
                    .flatMap(name -> client.inspect(name).stream())
                    .map(view -> describe(view, client.clientName()))
                    .flatMap(Optional::stream)
                    .findFirst()
                    .orElse("waiting");
        } catch (HoldfastException silent) {
            text = "waiting; the store does not answer";
        }
        synchronized (this) {
            if (over) {
                return;
            }
            String line = "holdfast: " + Printable.of(text);
            if (movable) {
                System.err.print(CLEAR + Printable.shortened(line, terminal.columns() - 1));
                shown = true;
            } else if (!withoutTimes(line).equals(last)) {
                System.err.println(line);
                last = withoutTimes(line);
            }
            System.err.flush();
        }
    }

    /** {@return a sentence on a lock that others hold or wait for; empty if it is not what we wait for} */
    static Optional<String> describe(LockView view, String ownName) {
        StringBuilder text = new StringBuilder("waiting for '" + view.name() + "'");
        List<LockView.Holder> others = view.holders().stream()
                .filter(holder -> !holder.clientName().equals(ownName))
                .toList();
        if (!others.isEmpty()) {
            LockView.Holder first = others.get(0);
            text.append(": held by ")
                    .append(Who.of(first.clientName(), first.label()))
                    .append(" for ")
                    .append(Durations.age(first.heldFor()));
            if (others.size() > 1) {
                text.append(" and ").append(others.size() - 1).append(others.size() == 2 ? " other" : " others");
            }
        }
        int place = 0;
        for (int i = 0; i < view.waiters().size() && place == 0; i++) {
            place = view.waiters().get(i).clientName().equals(ownName) ? i + 1 : 0;
        }
        if (place > 0) {
            text.append("; place ")
                    .append(place)
                    .append(" of ")
                    .append(view.waiters().size());
        }
        return others.isEmpty() && place == 0 ? Optional.empty() : Optional.of(text.toString());
    }

    private static String withoutTimes(String line) {
        return line.replaceAll(" for [0-9]+[smhd][0-9smhd]*", "");
    }

    /** Clears the line. Nothing is written any more when this returns. */
    @Override
    public synchronized void close() {
        over = true;
        notifyAll();
        if (shown) {
            System.err.print(CLEAR);
            System.err.flush();
            shown = false;
        }
    }
}
