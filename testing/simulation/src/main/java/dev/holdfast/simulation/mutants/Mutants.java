package dev.holdfast.simulation.mutants;

import static dev.holdfast.simulation.mutants.Patch.engine;
import static dev.holdfast.simulation.mutants.Patch.table;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The mistakes that the simulator must catch, each of them one that somebody has made. */
final class Mutants {
    /** Lets a renewal through that the engine would hold back. */
    private static final Patch RENEW_ANYTHING = engine("Tenancy", "return sensible;", "return true;");

    private static final String RENEW_SOON =
            "aftermath.then(() -> engine().renewer().add(held, engine().now() + 5_000_000L));";

    /** Lets the next lease of a tenure have the number of the one before. */
    private static final Patch REWIND = engine(
            "Tenure",
            "boolean hasSequenceLeft() {",
            "boolean rewind() { sequence--; return true; }\n    boolean hasSequenceLeft() {");

    static final List<Mutant> ALL = all();

    private Mutants() {}

    static Mutant named(String name) {
        return ALL.stream()
                .filter(mutant -> mutant.name().equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("there is no mutant '" + name + "'; there are "
                        + ALL.stream().map(Mutant::name).collect(Collectors.joining(", "))));
    }

    private static List<Mutant> all() {
        List<Mutant> all = new ArrayList<>();
        addStore(all);
        addDeadlines(all);
        addTokens(all);
        addWaits(all);
        return List.copyOf(all);
    }

    private static void addStore(List<Mutant> all) {
        all.add(Mutant.of(
                "release-without-owner-check",
                table(
                        "int part = live == null ? -1 : live.partOf(grant);",
                        "Line<C> held = lines.get(grant.name());"
                                + " live = held == null || held.holders.isEmpty() ? null : held.holders.get(0);"
                                + " int part = live == null ? -1 : live.partNamed(grant.name());")));
        all.add(Mutant.of(
                "release-by-owner-without-epoch",
                table(
                        "int part = live == null ? -1 : live.partOf(grant);",
                        "int part = live == null || !live.holds() ? -1 : live.partNamed(grant.name());")));
        all.add(Mutant.of(
                "withdraw-without-tombstone", table("if (mayStillArrive) {", "if (mayStillArrive && now < 0) {")));
        all.add(Mutant.of(
                "names-granted-in-part",
                table(
                        "if (line != null && !line.fits(part.units(), live.arrival)) {",
                        "if (line != null && part == live.claim.parts().get(0)"
                                + " && !line.fits(part.units(), live.arrival)) {")));
        all.add(Mutant.of(
                "capacity-exceeded-by-late-renewal",
                table(
                        "private long arrivals;",
                        "private long arrivals; private final Map<OwnerId, LiveClaim<C>> ended = new HashMap<>();"),
                table("remove(gone);", "remove(gone); if (gone.holds()) { ended.put(gone.claim.owner(), gone); }"),
                table(
                        "if (live == null || live.partOf(grant) < 0) {",
                        "if (live == null && ended.containsKey(grant.owner())) {"
                                + " LiveClaim<C> back = ended.remove(grant.owner());"
                                + " claims.put(grant.owner(), back);"
                                + " back.claim.parts().forEach(part -> lineOf(part).holders.add(back));"
                                + " live = back; }"
                                + " if (live == null || live.partOf(grant) < 0) {")));
    }

    private static void addDeadlines(List<Mutant> all) {
        all.add(Mutant.of(
                "cached-is-held",
                engine(
                        "Hold",
                        "return state == State.HELD && now < tenure.validUntilNanos && now < endsByNanos;",
                        "return state == State.HELD;")));
        all.add(Mutant.of(
                "deadline-from-reply",
                engine(
                        "Contest",
                        "accept(asked, granted.grants(), sentNanos, sentNanos, aftermath)",
                        "accept(asked, granted.grants(), engine().now(), sentNanos, aftermath)")));
        all.add(
                Mutant.of(
                        "deadline-not-shortened-for-retry",
                        engine(
                                "Contest",
                                "accept(asked, granted.grants(), sentNanos, sentNanos, aftermath)",
                                "accept(asked, granted.grants().stream().map(g -> new Grant(g.name(), g.owner(), g.epoch(),"
                                        + " g.lease(), g.lease(), g.session(), g.wanted())).toList(), sentNanos, sentNanos, aftermath)")));
        all.add(Mutant.of(
                "push-trusted-from-arrival",
                new Patch(
                        "dev/holdfast/spi/ServerClock.java",
                        "return bound < 0 ? StoreListener.UNKNOWN_ANCHOR : bound;",
                        "return clock.nanos();")));
        all.add(Mutant.of(
                "renewal-after-release",
                RENEW_ANYTHING,
                engine(
                        "Tenancy",
                        "parting = Parting.RELEASE_AT_STORE;",
                        "parting = Parting.RELEASE_AT_STORE; " + RENEW_SOON)));
        all.add(Mutant.of(
                "renewal-after-loss",
                RENEW_ANYTHING,
                engine(
                        "Tenancy",
                        "private void tellLoss(Tenure held, LossReason reason, Aftermath aftermath) {",
                        "private void tellLoss(Tenure held, LossReason reason, Aftermath aftermath) { " + RENEW_SOON)));
        all.add(Mutant.of(
                "loss-not-signalled-while-renewal-hangs",
                engine(
                        "Tenure",
                        "Math.min(validUntilNanos, renewing ? Long.MAX_VALUE : renewAtNanos)",
                        "renewing ? Long.MAX_VALUE : Math.min(validUntilNanos, renewAtNanos)")));
        all.add(Mutant.of("reentry-on-lost-lease", engine("ThreadOwnedLock", "nesting.lease.ensureHeld();", "")));
    }

    private static void addTokens(List<Mutant> all) {
        all.add(Mutant.of(
                "token-reused-on-hand-off",
                REWIND,
                engine("Tenancy", "free.handOffs++;", "free.handOffs++; free.rewind();")));
        all.add(Mutant.of(
                "token-reused-after-sticky",
                REWIND,
                engine(
                        "Tenancy",
                        "&& lend(idle, waiter, now, Source.STICKY, aftermath)",
                        "&& idle.rewind() && lend(idle, waiter, now, Source.STICKY, aftermath)")));
        all.add(Mutant.of(
                "hand-off-past-budget", engine("Tenure", "now - grantedNanos < terms.handOffNanos", "now >= 0")));
        all.add(Mutant.of(
                "hand-off-after-loss",
                engine(
                        "Tenancy",
                        "end(held);\n        tellLoss(held, reason, aftermath);",
                        "tellLoss(held, reason, aftermath);"
                                + " if (passOn(held, engine().now(), aftermath)) { return; } end(held);"),
                engine("Tenure", "return isValid(now)\n", "return !ended\n")));
    }

    private static void addWaits(List<Mutant> all) {
        all.add(Mutant.of(
                "lost-wake-up-on-timeout",
                engine(
                        "Contest",
                        "withdraw(current, aftermath);\n                }\n                resume(aftermath);",
                        "withdraw(current, aftermath);\n                }")));
        all.add(Mutant.of(
                "orphan-after-cancelled-wait",
                engine("Contest", "if (!current.calling) {", "if (current.tenure != null) {")));
        all.add(Mutant.of(
                "orphan-after-lost-reply",
                engine(
                        "Contest",
                        "fail(asked, fault, aftermath);\n            withdraw(asked, aftermath);",
                        "fail(asked, fault, aftermath);")));
    }
}
