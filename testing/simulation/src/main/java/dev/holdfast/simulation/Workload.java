package dev.holdfast.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** What all programs of a history share: the turns that are left, the waits that are open, and whom to tell of leases. */
final class Workload {
    final World world;
    final Profile profile;
    final Ledger ledger;
    final Deliveries deliveries;
    private final List<Wait> pending = new ArrayList<>();
    private final Map<String, Long> lastWaits = new HashMap<>();
    private int turnsLeft;
    private long calls;
    private long calmSince = Long.MAX_VALUE;

    Workload(World world, Profile profile, Ledger ledger) {
        this.world = world;
        this.profile = profile;
        this.ledger = ledger;
        this.deliveries = new Deliveries(world, profile);
        this.turnsLeft = profile.turns;
        if (profile.isFaultless()) {
            calmSince = 0;
        }
    }

    /** Sets the actors of a process to work. */
    void start(Process process, SplittableRandom random) {
        for (int i = 0; i < profile.actorsPerClient; i++) {
            Actor actor = new Actor(this, process, random.split());
            world.at(random.nextLong(profile.longestThinkNanos), process, actor::next);
        }
    }

    boolean takeTurn() {
        return turnsLeft-- > 0;
    }

    /** From now on nothing goes wrong any more. */
    void calm() {
        calmSince = Math.min(calmSince, world.now());
    }

    /** Since when nothing has gone wrong; far in the future before. */
    long calmSince() {
        return calmSince;
    }

    Wait begin(Process process, Spot spot, Wait.Way way, long limitNanos) {
        boolean contended =
                process.isThreadIn(spot.names()) || world.now() <= process.lastSettledAt() + profile.callbackDelayNanos;
        for (Wait wait : pending) {
            contended |= wait.process == process && overlap(wait.spot, spot);
        }
        for (LeaseWatch lease : process.beliefs().leases()) {
            contended |= overlap(lease.request().spot, spot);
        }
        Wait wait = new Wait(process, spot, way, limitNanos, world.now(), ++calls, contended);
        if (world.logs()) {
            world.log(process + " calls " + wait);
        }
        pending.add(wait);
        return wait;
    }

    private static boolean overlap(Spot one, Spot other) {
        return one.names().stream().anyMatch(other.names()::contains);
    }

    void settled(Wait wait) {
        wait.settled = true;
        pending.remove(wait);
        wait.process.waitSettled();
        lastWaits.put(wait.process + "/" + wait.spot.key(), world.now());
    }

    /** Whether a process waits for some names. */
    boolean isWaiting(Process process, String key) {
        for (Wait wait : pending) {
            if (wait.process == process && wait.spot.key().equals(key)) {
                return true;
            }
        }
        return false;
    }

    /** When a process last waited for some names. */
    long lastWait(Process process, String key) {
        if (isWaiting(process, key)) {
            return world.now();
        }
        return lastWaits.getOrDefault(process + "/" + key, 0L);
    }

    /** Waits that never ended, of clients that did not crash. */
    List<Wait> pending() {
        return pending.stream().filter(wait -> !wait.process.isCrashed()).toList();
    }

    /** Whether nobody waits or works any more. */
    boolean isDone() {
        boolean anybody = false;
        for (Process process : world.processes()) {
            if (!process.isCrashed() && process.holds() > 0) {
                return false;
            }
            anybody |= process.isLive();
        }
        return (turnsLeft <= 0 || !anybody) && pending().isEmpty();
    }
}
