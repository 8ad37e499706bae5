package dev.holdfast.simulation.mutants;

import static dev.holdfast.simulation.mutants.Patch.engine;
import static dev.holdfast.simulation.mutants.Patch.table;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The mistakes that the simulator must catch, each of them one that somebody has made. */
final class Mutants {
    /** Lets a renewal through that the engine would hold back. */
    private static final Patch RENEW_ANYTHING = engine(
            "HeldGrant",
            "synchronized (gate) {\n            return state != State.ENDED;",
            "synchronized (gate) {\n            return true;");

    private static final String RENEW_SOON =
            "after.then(() -> gate.engine.renewer.add(HeldGrant.this, false, gate.engine.now() + 5_000_000L));";

    /** Lets the next lease of a grant have the number of the one before. */
    private static final Patch REWIND =
            engine("HeldGrant", "int nextSequence() {", "void rewind() { sequence--; }\n    int nextSequence() {");

    /** Lets a claim end without a thought for what it may have left at the store. */
    private static final Patch FORGET_CLAIM = engine(
            "Contender",
            "void end(AfterUnlock after) {",
            "void forget() { state = State.OVER; }\n    void end(AfterUnlock after) {");

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
        addOutages(all);
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
                        "return state == State.HELD && now < grant.validUntilNanos && now < endsByNanos;",
                        "return state == State.HELD;")));
        all.add(Mutant.of(
                "deadline-from-reply",
                engine(
                        "Gate",
                        "granted(asked, granted.grants(), asked.sentNanos(sentNanos), false, after)",
                        "granted(asked, granted.grants(), engine.now(), false, after)")));
        all.add(Mutant.of(
                "deadline-not-shortened-for-retry",
                engine(
                        "Gate",
                        "granted(asked, granted.grants(), asked.sentNanos(sentNanos), false, after)",
                        "granted(asked, granted.grants().stream().map(g -> new Grant(g.name(), g.owner(), g.epoch(),"
                                + " g.lease(), g.lease(), g.session(), g.wanted())).toList(),"
                                + " asked.sentNanos(sentNanos), false, after)")));
        all.add(Mutant.of(
                "push-trusted-from-arrival",
                new Patch(
                        "dev/holdfast/spi/ServerClock.java",
                        "return bound < 0 || bound > clock.nanos() ? StoreListener.UNKNOWN_ANCHOR : bound;",
                        "return clock.nanos();")));
        all.add(Mutant.of(
                "renewal-after-release",
                RENEW_ANYTHING,
                engine(
                        "HeldGrant",
                        "gate.engine.events.released(lease, now, after);",
                        "gate.engine.events.released(lease, now, after); " + RENEW_SOON)));
        all.add(Mutant.of(
                "renewal-after-loss",
                RENEW_ANYTHING,
                engine(
                        "HeldGrant",
                        "private void tellLoss(LossReason reason, AfterUnlock after) {",
                        "private void tellLoss(LossReason reason, AfterUnlock after) { " + RENEW_SOON)));
        all.add(Mutant.of(
                "loss-not-signalled-while-renewal-hangs",
                engine(
                        "HeldGrant",
                        "Math.min(validUntilNanos, renewing ? Long.MAX_VALUE : renewAtNanos)",
                        "renewing ? Long.MAX_VALUE : Math.min(validUntilNanos, renewAtNanos)")));
        all.add(Mutant.of(
                "reentry-on-lost-lease", engine("client/ThreadOwnedLock", "nesting.lease.ensureHeld();", "")));
    }

    private static void addTokens(List<Mutant> all) {
        all.add(Mutant.of(
                "token-reused-on-hand-off",
                REWIND,
                engine(
                        "ExclusiveGate",
                        "lend(free, next, now, Source.HAND_OFF, after);",
                        "free.rewind(); lend(free, next, now, Source.HAND_OFF, after);")));
        all.add(Mutant.of(
                "token-reused-after-sticky",
                REWIND,
                engine(
                        "ExclusiveGate",
                        "lend(idle, waiter, now, Source.STICKY, after);",
                        "idle.rewind(); lend(idle, waiter, now, Source.STICKY, after);")));
        all.add(Mutant.of(
                "turn-that-never-ends", engine("HeldGrant", "(!wanted || now < turnEndsNanos())", "now >= 0")));
        all.add(Mutant.of(
                "idle-past-the-turn",
                engine(
                        "ExclusiveGate",
                        "? Math.min(returnGap.worthWaitingNanos(engine.handOverCost), free.turnEndsNanos() - now)",
                        "? 3_600_000_000_000L")));
        all.add(Mutant.of(
                "hand-off-after-loss",
                engine(
                        "HeldGrant",
                        "end();\n        tellLoss(reason, after);",
                        "tellLoss(reason, after); if (gate instanceof ExclusiveGate exclusive"
                                + " && hold != null && exclusive.passOn(hold, gate.engine.now(), after)) { return; } end();"),
                engine(
                        "HeldGrant",
                        "return state != State.ENDED && now < validUntilNanos;",
                        "return state != State.ENDED;")));
    }

    private static void addWaits(List<Mutant> all) {
        all.add(Mutant.of(
                "lost-wake-up-on-timeout",
                engine(
                        "Gate",
                        "conclude(current);\n        }\n        resume(after);",
                        "conclude(current);\n        }")));
        all.add(Mutant.of(
                "orphan-after-cancelled-wait",
                FORGET_CLAIM,
                engine("Gate", "current.drop(after);", "current.forget();")));
        all.add(Mutant.of(
                "orphan-after-lost-reply",
                FORGET_CLAIM,
                engine(
                        "Gate",
                        "asked.drop(after);\n        conclude(asked);\n        if (hopeless",
                        "asked.forget();\n        conclude(asked);\n        if (hopeless")));
    }

    private static void addOutages(List<Mutant> all) {
        String stay = "stay(waiter, asking);";
        all.add(Mutant.of(
                "contention-told-as-outage",
                engine("Gate", stay, "settle(waiter, Refusal.noAnswer(waiter.terms), after);")));
        all.add(Mutant.of("outage-told-as-contention", engine("Gate", stay, "settle(waiter, Refusal.TAKEN, after);")));
        all.add(Mutant.of(
                "deadline-restarted",
                engine("Engine", "return nanos + commandTimeoutNanos;", "return now() + 2 * commandTimeoutNanos;")));
        all.add(Mutant.of(
                "release-dropped-at-close",
                engine(
                        "HeldGrant",
                        "gate.engine.cleanup.release(this, after);\n        gate.resume(after);",
                        "if (reason != LossReason.CLIENT_CLOSED) { gate.engine.cleanup.release(this, after); }"
                                + " gate.resume(after);")));
        all.add(Mutant.of(
                "clean-up-given-up",
                engine(
                        "StoreCleanup",
                        "task.failures++;",
                        "if (++task.failures > 1) { closingNeedNotWait(); return; }")));
        all.add(Mutant.of(
                "late-answer-forgotten",
                engine(
                        "Leftovers",
                        "clear(mayStillArrive || queued || outcome instanceof AcquireOutcome.Granted, after);",
                        "")));
    }
}
