package dev.holdfast.rig.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What is wrong with the network at the moment. Everything is guarded by the monitor of this object. Thread-safe. */
final class Faults {
    private final Map<Direction, Duration> delays = new EnumMap<>(Direction.class);
    private final Set<Direction> holes = EnumSet.noneOf(Direction.class);
    private final List<Trap> traps = new ArrayList<>();

    /** Grows whenever held messages are let go. */
    private long healings;

    private int caught;

    synchronized void delay(Direction direction, Duration time) {
        delays.put(direction, time);
        notifyAll();
    }

    synchronized void hole(Direction direction) {
        holes.add(direction);
    }

    synchronized void set(Trap trap) {
        traps.add(trap);
    }

    synchronized void heal() {
        delays.clear();
        holes.clear();
        traps.clear();
        healings++;
        notifyAll();
    }

    synchronized int caught() {
        return caught;
    }

    /** Wakes everybody who waits here, so that connections that were closed meanwhile are noticed. */
    synchronized void stir() {
        notifyAll();
    }

    /** Counts a message that was caught only when its effect was complete: tests wait for the count. */
    synchronized void count() {
        caught++;
    }

    synchronized Optional<Trap.Effect> catching(Direction direction, String message) {
        for (Iterator<Trap> each = traps.iterator(); each.hasNext(); ) {
            Trap trap = each.next();
            if (trap.catches(direction, message)) {
                if (trap.isSpent()) {
                    each.remove();
                }
                return Optional.of(trap.effect());
            }
        }
        return Optional.empty();
    }

    /** Waits until the proxy heals, or the connection is closed. */
    synchronized void hold(Connection connection) throws InterruptedException {
        long before = healings;
        while (healings == before && connection.isOpen()) {
            wait();
        }
    }

    /** Waits as long as the network keeps bytes of this direction back. */
    synchronized void pass(Direction direction, Connection connection) throws InterruptedException {
        long arrival = System.nanoTime();
        while (connection.isOpen()) {
            long left = delays.getOrDefault(direction, Duration.ZERO).toNanos() - (System.nanoTime() - arrival);
            if (holes.contains(direction) || connection.isAbandoned()) {
                wait();
            } else if (left > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } else {
                return;
            }
        }
    }
}
