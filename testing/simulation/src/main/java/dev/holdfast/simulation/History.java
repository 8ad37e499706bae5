package dev.holdfast.simulation;

import dev.holdfast.engine.client.Client;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One history: several clients at work in a storm, the calm after it, the end of all clients, and what is left. */
final class History {
    private static final long ROUND_NANOS = 300 * Profile.MILLI;

    /** After the storm, time for crashed clients to be forgotten and for everybody to be served. */
    private static final long PATIENCE_NANOS = 80 * Profile.SECOND;

    private static final long LONGEST_LIFE_AFTER_DEATH_NANOS = 40 * Profile.SECOND;
    private static final int MOST_DRIFT_PPM = 4_500;
    private static final long MOST_OFFSET_NANOS = 1_000_000_000_000_000L;

    private final World world;
    private final Profile profile;
    private final Server server;
    private final Workload workload;
    private final Patrol patrol;
    private final SplittableRandom random;

    /**
     * What came of a history.
     *
     * @param seed its seed
     * @param violation the property that was violated and how, or null
     * @param log every event, if a log was asked for
     */
    record Outcome(long seed, @Nullable String violation, List<String> log) {}

    private History(long seed, boolean logging) {
        random = new SplittableRandom(seed);
        world = new World(logging);
        profile = Profile.of(random.split());
        Ledger ledger = new Ledger(world);
        server = new Server(world, newClock(), ledger);
        workload = new Workload(world, profile, ledger);
        patrol = new Patrol(world, server, profile, workload);
        world.log("seed " + seed + ", " + (logging ? profile : ""));
    }

    static Outcome run(long seed, boolean logging) {
        History history = new History(seed, logging);
        history.world.guarded(history::run);
        return new Outcome(seed, history.world.violation(), history.world.logged());
    }

    private SkewedClock newClock() {
        int drift = random.nextInt(4) == 0 ? 0 : random.nextInt(-MOST_DRIFT_PPM, MOST_DRIFT_PPM + 1);
        return new SkewedClock(world, random.nextLong(Profile.SECOND, MOST_OFFSET_NANOS), drift);
    }

    private void run() {
        for (int i = 0; i < profile.clients; i++) {
            world.add(newProcess("client" + (i + 1)));
        }
        if (!profile.isFaultless()) {
            new Storm(world, server, profile, workload, patrol, random.split()).plan();
            world.runUntil(profile.stormNanos);
        }
        long patience = PATIENCE_NANOS
                + profile.longestHoldNanos * (profile.isFaultless() ? profile.turns : profile.actorsPerClient);
        patrolUntil(world.now() + patience, true);
        patrol.checkDone();
        patrolUntil(world.now() + profile.graceNanos() + patrol.stickyNanos() + ROUND_NANOS, false);
        end();
    }

    private Process newProcess(String name) {
        Process process = new Process(name, world, newClock(), server, profile, random.split());
        process.started(Client.open(name, process.surroundings(), process::openStore, profile.options, null, () -> {}));
        workload.start(process, random.split());
        return process;
    }

    private void patrolUntil(long end, boolean untilDone) {
        while (world.violation() == null && world.now() < end && !(untilDone && workload.isDone())) {
            world.runUntil(Math.min(end, world.now() + ROUND_NANOS));
            patrol.round();
        }
    }

    private void end() {
        long began = world.now();
        for (Process process : world.processes()) {
            world.at(world.now() + random.nextLong(10 * Profile.MILLI), process, process::close);
        }
        world.runUntil(world.now() + 50 * Profile.MILLI);
        if (world.violation() == null) {
            patrol.checkClosed(began);
            world.runUntil(world.now() + LONGEST_LIFE_AFTER_DEATH_NANOS);
            patrol.checkEmpty();
        }
    }
}
