package dev.holdfast.simulation;

import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All leases that programs were given, in order: their tokens are unique (P3) and grow with time (P4, P5, P6), guarded
 * resources accept the rightful holder only (P7), local waiters are served in order of their calls (P13), and a client
 * does not keep a lock to itself while another one waits (P12).
 */
final class Deliveries {
    /** How long requests of one client may overtake each other while nothing goes wrong. */
    private static final long RACE_NANOS = 30 * Profile.MILLI;

    private static final Duration LONGEST_AUTOMATIC_TURN = Duration.ofMillis(20);

    private final World world;
    private final LockOptions options;
    private final boolean faultless;
    private final Map<String, List<LeaseWatch>> byName = new HashMap<>();
    private final Map<String, LeaseWatch> guards = new HashMap<>();

    Deliveries(World world, Profile profile) {
        this.world = world;
        this.options = profile.options;
        this.faultless = profile.isFaultless();
    }

    void add(LeaseWatch fresh) {
        for (String name : fresh.lease().names()) {
            List<LeaseWatch> earlier = byName.computeIfAbsent(name, absent -> new ArrayList<>());
            for (LeaseWatch one : earlier) {
                checkTokens(name, one, fresh);
                checkOrder(one, fresh);
            }
            earlier.add(fresh);
        }
        Holding grant = fresh.holdings().get(0);
        grant.usedAt = Math.min(grant.usedAt, fresh.dispatchedAt());
        if (fresh.sequence() > 0) {
            checkTurn(fresh, grant);
        }
    }

    private void checkTokens(String name, LeaseWatch one, LeaseWatch fresh) {
        long before = one.lease().token(name);
        long after = fresh.lease().token(name);
        if (before == after) {
            world.fail("P3", one + " and " + fresh + " have the same token");
        } else if (before >> 12 == after >> 12 && before > after) {
            world.fail("P6", fresh + " was handed on with a smaller token than " + one);
        } else if (before > after
                && one.deliveredAt() < fresh.request().startedAt
                && one.lease().isExclusive()
                && fresh.holdings().get(0).state != Holding.State.EVICTED
                && fresh.holdings().get(0).state != Holding.State.FORGOTTEN) {
            world.fail("P4", fresh + " was asked for after " + one + " was there, but has a smaller token");
        }
    }

    private void checkOrder(LeaseWatch one, LeaseWatch fresh) {
        Wait early = one.request();
        Wait late = fresh.request();
        if (early.process != late.process || !early.spot.equals(late.spot) || early.servedAt >= late.servedAt) {
            return;
        }
        // Shared locks and several names go to the server one by one, and requests may overtake each other on the way.
        boolean local = late.spot.kind() == Spot.Kind.EXCLUSIVE;
        if (local ? early.order > late.order : faultless && early.startedAt > late.startedAt + RACE_NANOS) {
            world.fail("P13", late + " was served after " + early);
        }
    }

    private void checkTurn(LeaseWatch fresh, Holding holding) {
        if (holding.wantedHeardAt >= fresh.dispatchedAt()) {
            return;
        }
        long kept = fresh.dispatchedAt() - holding.usedAt;
        if (kept > fresh.request().process.clock().longest(longestTurnNanos(options))) {
            world.fail(
                    "P12",
                    fresh + " was used " + Words.millis(kept)
                            + " into its turn although another client is known to wait");
        }
    }

    /** How long a client may go on using a grant while another one waits. */
    static long longestTurnNanos(LockOptions options) {
        return options.turn().orElse(LONGEST_AUTOMATIC_TURN).toNanos();
    }

    /** A write arrives at a guarded resource; the guard lets it pass if no larger token was seen. */
    void write(String name, LeaseWatch writer) {
        LeaseWatch last = guards.get(name);
        boolean accepted =
                last == null || writer.lease().token(name) >= last.lease().token(name);
        if (world.logs()) {
            world.log("resource " + name + (accepted ? " accepts " : " refuses ") + writer);
        }
        if (last != null && accepted && isLater(name, last, writer)) {
            world.fail("P7", "a write under " + writer + " was accepted after one under the later " + last);
        }
        if (!accepted && isRightful(name, writer)) {
            world.fail("P7", "a write under " + writer + " was refused although it is held");
        }
        if (accepted) {
            guards.put(name, writer);
        }
    }

    private static boolean isLater(String name, LeaseWatch one, LeaseWatch other) {
        Holding first = holding(name, one);
        Holding second = holding(name, other);
        return first.order > second.order || (first.equals(second) && one.sequence() > other.sequence());
    }

    private static boolean isRightful(String name, LeaseWatch writer) {
        Holding holding = holding(name, writer);
        Process process = holding.client;
        return holding.isHeldAt(process.server().nanos())
                && !process.isCrashed()
                && writer.lease().isHeld();
    }

    private static Holding holding(String name, LeaseWatch watch) {
        return watch.holdings().get(watch.lease().names().indexOf(name));
    }
}
