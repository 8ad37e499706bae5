package dev.holdfast.simulation;

import dev.holdfast.LockView;
import java.util.List;

/**
 * Looks for what nobody needs any more, once nothing goes wrong: grants without a lease, claims in line without a waiter
 * (P20), waits without an end (P11, P12), and timers, locks or waits left behind by clients that are closed (P14, P18).
 */
final class Patrol {
    /** The longest time until a waiter asks again, whatever it has heard. */
    private static final long LONGEST_POLL_NANOS = 5_600 * Profile.MILLI;

    private final World world;
    private final Server server;
    private final Profile profile;
    private final Workload workload;

    Patrol(World world, Server server, Profile profile, Workload workload) {
        this.world = world;
        this.server = server;
        this.profile = profile;
        this.workload = workload;
    }

    /** How long a client may keep a lock that it does not use. */
    long stickyNanos() {
        return profile.options.stickyFor().toNanos() * 101 / 100;
    }

    /** Checks that everything at the server is there for somebody. */
    void round() {
        if (world.now() < workload.calmSince() + profile.graceNanos()) {
            return;
        }
        long now = server.nanos();
        for (String name : server.ledger().names()) {
            for (Holding holding : server.ledger().of(name)) {
                if (holding.isHeldAt(now) && holding.client.isLive() && holding.era == 0) {
                    checkOwned(holding);
                }
            }
        }
        for (Waiting.Place place : server.ledger().waiting().places()) {
            if (place.untilNanos > now && place.client.isLive()) {
                checkAwaited(place);
            }
        }
    }

    private void checkOwned(Holding holding) {
        if (holding.unownedSince == Holding.NEVER) {
            return;
        }
        long idle = world.now() - Math.max(holding.unownedSince, workload.calmSince());
        long allowed = profile.graceNanos();
        if (workload.isWaiting(holding.client, holding.claim.describe())) {
            // Who waits hears of a grant at the latest when it asks again.
            allowed += LONGEST_POLL_NANOS;
        } else if (holding.wantedHeardAt == Holding.NEVER) {
            allowed += stickyNanos();
        } else if (world.now() - Math.max(holding.unownedSince, holding.wantedHeardAt) > longestIdleTurnNanos()) {
            world.fail("P12", holding + " is kept idle past its turn although another client is known to wait");
        }
        if (idle > allowed) {
            world.fail("P20", holding + " is held for nobody since " + Words.millis(idle));
        }
    }

    /** A turn, and the way of a release that may be sent once more. */
    private long longestIdleTurnNanos() {
        return Deliveries.longestTurnNanos(profile.options) + profile.commandTimeoutNanos;
    }

    private void checkAwaited(Waiting.Place place) {
        long last = Math.max(workload.lastWait(place.client, place.claim.describe()), workload.calmSince());
        if (world.now() - last > profile.graceNanos()) {
            world.fail("P20", Words.of(place.claim) + " of " + place.client + " stands in line for nobody");
        }
    }

    /** Checks that all waits came to an end. */
    void checkDone() {
        if (!workload.isDone()) {
            List<Wait> pending = workload.pending();
            world.fail("P12", "not done by " + Words.millis(world.now()) + ", waits left: " + pending);
        }
    }

    /** Checks that a client has left nothing at the server by the time at which closing must be over. */
    void checkLeft(Process leaver) {
        if (!leaver.isClosed() || leaver.isDeaf() || leaver.closedAt() < workload.calmSince()) {
            return;
        }
        long now = server.nanos();
        for (String name : server.ledger().names()) {
            for (Holding holding : server.ledger().of(name)) {
                if (holding.client == leaver
                        && holding.isHeldAt(now)
                        && holding.era == server.ledger().era()) {
                    world.fail("P18", holding + " is held although its client is closed");
                }
            }
        }
        for (Waiting.Place place : server.ledger().waiting().places()) {
            if (place.client == leaver && place.untilNanos > now) {
                world.fail("P18", Words.of(place.claim) + " stands in line although " + leaver + " is closed");
            }
        }
    }

    /** Checks that closed clients have left nothing. */
    void checkClosed(long since) {
        List<Wait> pending = workload.pending();
        if (!pending.isEmpty()) {
            world.fail("P14", "waits that outlive their client: " + pending);
        }
        for (Process process : world.processes()) {
            if (!process.isCrashed() && process.timers() > 0) {
                world.fail("P14", process + " is closed but has " + process.timers() + " timers left");
            }
        }
        long now = server.nanos();
        for (String name : server.ledger().names()) {
            for (Holding holding : server.ledger().of(name)) {
                if (holding.isHeldAt(now)
                        && holding.client.closedAt() != Long.MAX_VALUE
                        && holding.client.closedAt() >= since
                        && holding.era == 0) {
                    world.fail("P18", holding + " outlives its client");
                }
            }
        }
    }

    /** Checks that the server has forgotten everybody, also those who crashed. */
    void checkEmpty() {
        List<LockView> left = server.table().list("", 100, server.nanos());
        if (!left.isEmpty() || server.table().size() > 0) {
            world.fail("P14", "left at the server: " + server.table().size() + " claims, " + left);
        }
    }
}
