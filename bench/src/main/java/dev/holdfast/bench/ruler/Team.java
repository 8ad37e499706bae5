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
        try {
            Team team = new Team(maker, Blackboard.open(file));
            for (int i = 1; i <= size; i++) {
                team.processes.add(RunnerProcess.start(maker, url, i, file, errors));
            }
            for (RunnerProcess process : team.processes) {
                process.expect("ready");
            }
            return team;
        } catch (IOException failed) {
            throw new UncheckedIOException("no blackboard for " + maker.title(), failed);
        }
    }

    Maker maker() {
        return maker;
    }

    /** One round: everybody gets under way, then all are counted for a while. */
    Outing run(String heat, boolean shared, Duration time) throws InterruptedException {
        board.clear();
        tell(heat);
        for (RunnerProcess process : processes) {
            // "not all under way" is an answer too: a maker that starves a thread shows it in its counts.
            process.reply();
        }
        tell("count");
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
        tell("stop");
        List<Lap> laps = new ArrayList<>();
        for (RunnerProcess process : processes) {
            laps.add(Lap.parse(process.reply()));
        }
        long entries = laps.stream().mapToLong(Lap::entries).sum();
        if (shared && entries != board.entries()) {
            throw new IllegalStateException(maker.title() + " did not exclude: " + board.entries()
                    + " entries are on the blackboard, but there were " + entries);
        }
        return Outing.of(laps);
    }

    /** Lets the first process do something that has no rounds. */
    void perform(String command, String reply) throws InterruptedException {
        processes.get(0).tell(command);
        processes.get(0).expect(reply);
    }

    @Override
    public void close() {
        processes.forEach(RunnerProcess::close);
    }

    private void tell(String command) {
        processes.forEach(process -> process.tell(command));
    }
}
