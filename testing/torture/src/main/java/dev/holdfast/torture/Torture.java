package dev.holdfast.torture;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.rig.Rig;
import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.Schedule;
import dev.holdfast.torture.fault.Storm;
import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.mutants.Bug;
import dev.holdfast.torture.mutants.Bugs;
import dev.holdfast.torture.mutants.Workshop;
import dev.holdfast.torture.peers.Maker;
import dev.holdfast.torture.peers.Peers;
import dev.holdfast.torture.referee.Referee;
import dev.holdfast.torture.referee.RefereeLine;
import dev.holdfast.torture.rig.Scene;
import dev.holdfast.torture.rig.Scenes;
import dev.holdfast.torture.worker.StallMeter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Records one history: a control without locks, a time to get warm, a storm of faults, the calm after it, the end of all
 * workers, and a look at what is left in the store.
 */
final class Torture {
    private static final Duration CONTROL = Duration.ofMillis(700);
    private static final Duration REST = Duration.ofMillis(300);
    private static final Duration WARM = Duration.ofMillis(1200);
    private static final Duration CALM = Duration.ofMillis(1500);

    /** Longer than the five seconds within which everybody has to work again. */
    private static final Duration TIME_TO_RECOVER = Duration.ofSeconds(8);

    private static final Duration TIME_TO_LEAVE = Duration.ofSeconds(60);
    private static final int MANY = 1_000;

    private final Options options;

    Torture(Options options) {
        this.options = options;
    }

    /** Records one history on one rig, and returns its file. */
    Path record(String rigName) throws InterruptedException {
        Path directory = directory(rigName);
        Path file = directory.resolve("history.jsonl");
        try (Rig rig = new Rig()) {
            Scenes scenes =
                    new Scenes(rig, options.isOverHttp() ? Instances.COUNT : options.workers(), options.lease());
            Scene scene = options.url().isEmpty() ? scenes.build(rigName) : scenes.given(rigName, options.url());
            ChildProcess process =
                    ChildProcess.start(Referee.class, directory.resolve("referee.log"), List.of(file.toString()));
            try {
                String said = process.hear();
                if (!said.startsWith("port ")) {
                    throw new IllegalStateException("the referee does not start; see " + directory);
                }
                int port = Integer.parseInt(said.substring("port ".length()));
                if (options.isOverHttp()) {
                    recordOverHttp(scene, directory, port);
                } else {
                    record(scene, scene.directUrl(), directory, port);
                }
            } finally {
                process.leave(TIME_TO_LEAVE);
            }
        }
        return file;
    }

    private Path directory(String rigName) {
        String what = options.maker().isEmpty() ? rigName : options.maker() + "-on-" + rigName;
        String name = what + "-" + options.seed() + (options.mutant().isEmpty() ? "" : "-" + options.mutant());
        Path directory = options.out().resolve(name).toAbsolutePath();
        try {
            return Files.createDirectories(directory);
        } catch (IOException failed) {
            throw new UncheckedIOException("there is no place for histories", failed);
        }
    }

    /** Where the changed classes of a mutant are; empty if there are none. */
    private String mutant(Path directory) {
        if (options.mutant().isEmpty()) {
            return "";
        }
        Bug bug = Bugs.named(options.mutant());
        return bug.isPatch() ? Workshop.here().make(bug, directory).toString() : "";
    }

    private void recordOverHttp(Scene store, Path directory, int port) throws InterruptedException {
        try (RefereeLine referee = RefereeLine.open("instances", port);
                Instances instances = new Instances(options, store, directory.resolve("instances.log"))) {
            record(instances.scene(referee), store.directUrl(), directory, port);
            instances.leave();
        }
    }

    private void record(Scene scene, String storeUrl, Path directory, int port) throws InterruptedException {
        String mutant = mutant(directory);
        String prefix = "torture-" + options.seed() + "-" + Long.toString(System.nanoTime(), Character.MAX_RADIX) + "/";
        try (RefereeLine referee = RefereeLine.open("coordinator", port);
                Workers workers =
                        new Workers(options, scene, prefix, port, referee, directory.resolve("workers.log"), mutant)) {
            StallMeter.start("coordinator", referee::tell);
            if (options.isBeside()) {
                workers.start();
            }
            boolean staged = begin(scene, storeUrl, referee, prefix)
                    && options.workers() > 1
                    && options.mutant().isEmpty();
            if (!options.isBeside()) {
                workers.start();
            }
            phase(referee, "control");
            workers.tell("control");
            sleep(CONTROL);
            workers.tell("quiet");
            sleep(REST);
            if (staged) {
                phase(referee, "staged");
                workers.stage();
            }
            workers.tell("locks");
            phase(referee, "warm");
            sleep(WARM);
            phase(referee, "storm");
            List<FaultKind> kinds = new ArrayList<>(workers.faults());
            kinds.addAll(faults(scene));
            List<Schedule.Planned> drawn = Schedule.draw(options.seed(), kinds, options.storm(), options.gap());
            new Storm(referee).run(Schedule.keep(drawn, options.faults()));
            phase(referee, "calm");
            referee.tell(Line.of("living").with("names", String.join(",", workers.names())));
            referee.sync();
            workers.awaitAnswers(TIME_TO_RECOVER.plus(scene.afterlife()));
            sleep(CALM);
            phase(referee, "end");
            workers.leave(TIME_TO_LEAVE);
            if (options.isOurs()) {
                look(scene, storeUrl, referee, prefix);
            }
            if (!options.maker().isEmpty()) {
                lookForPeers(scene, referee, prefix);
            }
            referee.sync();
            phase(referee, "done");
        }
    }

    /** Tells about the store, and returns whether it gives the lock of a paused holder to others. */
    private boolean begin(Scene scene, String storeUrl, RefereeLine referee, String prefix) {
        Line store = Line.of("store")
                .with("rig", scene.name())
                .with("seed", Long.toString(options.seed()))
                .with("mutant", options.mutant())
                .with("maker", options.maker())
                .with("prefix", prefix)
                .with("leaseMillis", options.lease().toMillis())
                .with("timeoutMillis", options.timeout().toMillis())
                .with("afterlifeMillis", scene.afterlife().toMillis())
                .with("workers", options.workers());
        if (!options.isOurs()) {
            referee.tell(store.with("expiry", "LEASE").with("failover", "").with("promises", ""));
            Peers.prepare(Maker.named(options.maker()), scene.directUrl());
            return false;
        }
        try (Holdfast locks = connect(storeUrl)) {
            referee.tell(store.with("expiry", locks.traits().expiry().name())
                    .with("failover", locks.traits().failover())
                    .with(
                            "promises",
                            locks.traits().promises().stream()
                                    .map(Enum::name)
                                    .sorted()
                                    .collect(Collectors.joining(","))));
            return locks.traits().promises(Promise.PAUSED_HOLDER_IS_REPLACED)
                    && options.maker().isEmpty();
        }
    }

    /**
     * Nobody promises for another library that its locks survive a server that forgets, so none does that to them. Beside
     * an older edition only workers have faults: what that one got wrong in an outage says nothing of the two together.
     */
    private List<FaultKind> faults(Scene scene) {
        return scene.faults().stream()
                .filter(kind -> !options.isBeside())
                .filter(kind -> options.isOurs() || !kind.word().equals("restart-empty"))
                .toList();
    }

    private void lookForPeers(Scene scene, RefereeLine referee, String prefix) throws InterruptedException {
        Duration patience = scene.afterlife().multipliedBy(2).plusSeconds(8);
        List<String> left =
                Peers.left(Maker.named(options.maker()), scene.directUrl(), options.lease(), prefix, patience);
        referee.tell(Line.of("peerLeft").with("count", left.size()).with("what", String.join(" ", left)));
    }

    /** Waits, at most for the time that the store may keep what dead workers held, until nothing is left. */
    private void look(Scene scene, String storeUrl, RefereeLine referee, String prefix) throws InterruptedException {
        long begin = System.nanoTime();
        Duration patience = scene.afterlife().plusSeconds(5);
        String left = "?";
        while (System.nanoTime() - begin < patience.toNanos() && !left.isEmpty()) {
            try (Holdfast locks = connect(storeUrl)) {
                left = "?";
                while (System.nanoTime() - begin < patience.toNanos() && !left.isEmpty()) {
                    left = left(locks.list(prefix, MANY));
                    sleep(Duration.ofMillis(50));
                }
            } catch (HoldfastException unavailable) {
                left = "? " + unavailable.getMessage();
                sleep(Duration.ofMillis(100));
            }
        }
        referee.tell(Line.of("left").with("what", left).with("from", begin));
    }

    private Holdfast connect(String storeUrl) {
        return Holdfast.builder()
                .url(storeUrl)
                .defaults(LockOptions.defaults().withLeaseTime(options.lease()))
                .build();
    }

    private static String left(List<LockView> views) {
        return views.stream()
                .filter(view -> !view.holders().isEmpty() || !view.waiters().isEmpty())
                .map(view -> view.name() + " holders=" + view.holders() + " waiters=" + view.waiters())
                .collect(Collectors.joining("; "));
    }

    private static void phase(RefereeLine referee, String name) {
        referee.tell(Line.of("phase").with("name", name));
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
