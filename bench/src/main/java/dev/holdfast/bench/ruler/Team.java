package dev.holdfast.bench.ruler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    private final String url;
    private final Path file;
    private final Path errors;
    private final Optional<Duration> lease;
    private final Blackboard board;
    private final List<RunnerProcess> all = new ArrayList<>();

    /** Those who are needed at present: the first of all. */
    private List<RunnerProcess> processes = all;

    Team(Maker maker, String url, Path directory, Optional<Duration> lease) {
        this.maker = maker;
        this.url = url;
        this.file = directory.resolve(maker.word() + ".blackboard");
        this.errors = directory.resolve(maker.word() + ".log");
        this.lease = lease;
        try {
            this.board = Blackboard.open(file);
        } catch (IOException failed) {
            throw new UncheckedIOException("no blackboard for " + maker.title(), failed);
        }
    }

    /** Sees to it that there are as many processes as are needed now. Tells whether some had to be started. */
    boolean enlist(int size) throws InterruptedException {
        int before = all.size();
        for (int number = before + 1; number <= size; number++) {
            all.add(process(number));
        }
        for (RunnerProcess process : all.subList(before, all.size())) {
            process.expect("ready");
        }
        processes = all.subList(0, size);
        return all.size() > before;
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

    /** The first process takes a lock, and the second one sets out to wait for it. */
    void pursue(String lock) throws InterruptedException {
        perform("hold 1 " + lock);
        processes.get(1).tell("take " + lock);
    }

    /** Ends the first process, which cannot tell anybody, and starts another one in its place. Tells when. */
    long killHolder() {
        long when = System.nanoTime();
        processes.get(0).kill();
        processes.get(0).close();
        processes.set(0, process(1));
        return when;
    }

    /** When the second process was given the lock; empty if not in time, and then it is of no more use. */
    Optional<Long> taken(Duration patience) throws InterruptedException {
        Optional<Long> when = processes.get(1).reply(patience).map(Long::valueOf);
        processes.get(0).expect("ready");
        if (when.isEmpty()) {
            processes.get(1).kill();
            processes.get(1).close();
            processes.set(1, process(2));
            processes.get(1).expect("ready");
        }
        return when;
    }

    /** The processes end with their input, all at the same time; {@link #close} waits for that. */
    void dismiss() {
        all.forEach(RunnerProcess::dismiss);
    }

    @Override
    public void close() {
        dismiss();
        all.forEach(RunnerProcess::close);
    }

    private RunnerProcess process(int number) {
        return RunnerProcess.start(maker, url, number, file, errors, lease);
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
