package dev.holdfast.bench.ruler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The processes of one maker. They stay over all rounds and are idle while others have their turn. */
final class Team implements AutoCloseable {
    /** How long a round waits until every thread has had the lock once: as long as it counts, within these limits. */
    private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(2);

    private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(10);

    /** Who was given the lock less often than this in the time that counts gets some more time. */
    private static final int FEWEST_GRANTS = 5;

    private static final int MOST_EXTENSIONS = 50;
    private static final Duration EXTENSION = Duration.ofMillis(100);

    private final Maker maker;
    private final Blackboard board;
    private final List<RunnerProcess> processes = new ArrayList<>();

    private Team(Maker maker, Blackboard board) {
        this.maker = maker;
        this.board = board;
    }

    static Team start(Maker maker, String url, int size, Path directory) throws InterruptedException {
        Path file = directory.resolve(maker.word() + ".blackboard");
        Path errors = directory.resolve(maker.word() + ".log");
        Team team;
        try {
            team = new Team(maker, Blackboard.open(file));
        } catch (IOException failed) {
            throw new UncheckedIOException("no blackboard for " + maker.title(), failed);
        }
        boolean ready = false;
        try {
            for (int i = 1; i <= size; i++) {
                team.processes.add(RunnerProcess.start(maker, url, i, file, errors));
            }
            for (RunnerProcess process : team.processes) {
                process.expect("ready");
            }
            ready = true;
            return team;
        } finally {
            if (!ready) {
                team.close();
            }
        }
    }

    Maker maker() {
        return maker;
    }

    /** One round: everybody gets under way, then all are counted for a while. */
    Outing run(String heat, boolean shared, Duration time) throws InterruptedException {
        board.clear();
        // "not all under way" is an answer too: a maker that starves a thread shows it in its counts.
        ask(processes, heat + " " + patience(time).toMillis());
        long before = board.entries();
        tell(processes, "count");
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
        for (int i = 0; i < MOST_EXTENSIONS && shared && board.entries() - before < FEWEST_GRANTS; i++) {
            TimeUnit.NANOSECONDS.sleep(EXTENSION.toNanos());
        }
        List<Lap> laps = ask(processes, "stop").stream().map(Lap::parse).toList();
        long entries = laps.stream().mapToLong(Lap::entries).sum();
        if (shared && entries != board.entries()) {
            throw new IllegalStateException(maker.title() + " did not exclude: " + board.entries()
                    + " entries are on the blackboard, but there were " + entries);
        }
        return Outing.of(laps);
    }

    /** How long the compilers of all processes have worked so far. */
    long compiledMillis() throws InterruptedException {
        return ask(processes, "compiled").stream().mapToLong(Long::parseLong).sum();
    }

    /** Lets the first process do something that has no rounds. */
    String perform(String command) throws InterruptedException {
        return ask(processes.subList(0, 1), command).get(0);
    }

    /** The first process takes a lock, and all others wait for it, each with some threads. */
    void block(String lock, int threads) throws InterruptedException {
        perform("hold 1 " + lock);
        ask(waiting(), "wait " + threads + " " + lock + " " + LONGEST_PATIENCE.toMillis());
    }

    /** The lock is given back, and everybody who waited has it once. */
    void unblock() throws InterruptedException {
        perform("drop");
        ask(waiting(), "stop");
    }

    /** The processes end with their input, all at the same time. */
    @Override
    public void close() {
        processes.forEach(RunnerProcess::dismiss);
        processes.forEach(RunnerProcess::close);
    }

    private List<RunnerProcess> waiting() {
        return processes.subList(1, processes.size());
    }

    private static Duration patience(Duration time) {
        return time.compareTo(SHORTEST_PATIENCE) < 0
                ? SHORTEST_PATIENCE
                : time.compareTo(LONGEST_PATIENCE) > 0 ? LONGEST_PATIENCE : time;
    }

    private static List<String> ask(List<RunnerProcess> asked, String command) throws InterruptedException {
        tell(asked, command);
        List<String> replies = new ArrayList<>();
        for (RunnerProcess process : asked) {
            replies.add(process.reply());
        }
        return replies;
    }

    private static void tell(List<RunnerProcess> told, String command) {
        told.forEach(process -> process.tell(command));
    }
}
