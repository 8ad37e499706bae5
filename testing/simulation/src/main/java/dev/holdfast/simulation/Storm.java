package dev.holdfast.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** Everything that goes wrong apart from single messages, planned at the beginning of a history. */
final class Storm {
    /** More than a request takes when nothing goes wrong. */
    private static final long ANSWER_NANOS = 50 * Profile.MILLI;

    private final World world;
    private final Server server;
    private final Profile profile;
    private final Workload workload;
    private final Patrol patrol;
    private final SplittableRandom random;

    Storm(World world, Server server, Profile profile, Workload workload, Patrol patrol, SplittableRandom random) {
        this.world = world;
        this.server = server;
        this.profile = profile;
        this.workload = workload;
        this.patrol = patrol;
        this.random = random;
    }

    /** Plans the storm and its end. */
    void plan() {
        List<Process> processes = world.processes();
        for (int i = 0; i < profile.pauses; i++) {
            Process victim = any(processes);
            long at = random.nextLong(profile.stormNanos);
            long length = Profile.between(random, 5 * Profile.MILLI, profile.longestPauseNanos);
            world.at(at, victim::pause);
            world.at(at + length, victim::resume);
        }
        for (int i = 0; i < profile.cuts; i++) {
            Process victim = any(processes);
            long length = Profile.between(random, 50 * Profile.MILLI, 8 * Profile.SECOND);
            boolean holdBack = random.nextBoolean();
            sometime(() -> {
                world.log(victim + " is cut off for " + Words.millis(length));
                victim.link().cut(length, holdBack);
            });
        }
        for (int i = 0; i < profile.restarts + profile.amnesias; i++) {
            planRestart(i < profile.amnesias);
        }
        for (int i = 0; i < profile.evictions; i++) {
            List<String> names =
                    profile.spots.get(random.nextInt(profile.spots.size())).names();
            sometime(() -> server.evict(names.get(0)));
        }
        for (int i = 0; i < profile.crashes && i < processes.size() - 1; i++) {
            sometime(processes.get(i)::crash);
        }
        for (int i = 0; i < profile.closes; i++) {
            Process leaver = any(processes);
            world.at(random.nextLong(profile.stormNanos), leaver, leaver::close);
        }
        world.at(profile.stormNanos, this::end);
    }

    private void planRestart(boolean forgetful) {
        long at = random.nextLong(profile.stormNanos);
        long length = Profile.between(random, 2 * Profile.MILLI, 2 * Profile.SECOND);
        world.at(at, server::stop);
        world.at(at + length, () -> {
            if (server.isDown()) {
                server.start(forgetful);
            }
        });
    }

    private void sometime(Runnable event) {
        world.at(random.nextLong(profile.stormNanos), event);
    }

    private Process any(List<Process> processes) {
        return processes.get(random.nextInt(processes.size()));
    }

    private void end() {
        world.log("the storm is over");
        if (server.isDown()) {
            server.start(false);
        }
        for (Process process : world.processes()) {
            process.link().heal();
            process.resume();
        }
        workload.calm();
        for (int i = 0; i < profile.calmCloses; i++) {
            planCalmClose(any(world.processes()));
        }
    }

    /** A client closes in the middle of its work, when everything that was under way in the storm has arrived. */
    private void planCalmClose(Process leaver) {
        long closes = world.now() + 10 * Profile.MILLI + random.nextLong(100 * Profile.MILLI);
        world.at(closes, leaver, leaver::closeAndHear);
        world.at(closes + profile.commandTimeoutNanos + ANSWER_NANOS, () -> patrol.checkLeft(leaver));
    }
}
