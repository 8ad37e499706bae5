package dev.holdfast.engine;

import dev.holdfast.ClientStatistics;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Counts what happens in a client that has a listener. Thread-safe. */
final class Statistics implements ClientStatistics {
    final LongAdder held = new LongAdder();
    final LongAdder waiting = new LongAdder();
    final LongAdder localHandOffs = new LongAdder();
    final LongAdder remoteHandOffs = new LongAdder();
    final LongAdder dropped = new LongAdder();

    private final Engine engine;
    private final Tally[] answered = tallies();
    private final Tally[] unanswered = tallies();

    /** Calls of one kind. */
    private record Tally(LongAdder count, LongAdder nanos) {
        Calls calls() {
            return new Calls(count.sum(), Duration.ofNanos(nanos.sum()));
        }
    }

    Statistics(Engine engine) {
        this.engine = engine;
    }

    private static Tally[] tallies() {
        return Stream.generate(() -> new Tally(new LongAdder(), new LongAdder()))
                .limit(Operation.values().length)
                .toArray(Tally[]::new);
    }

    void called(Operation operation, boolean wasAnswered, long nanos) {
        Tally tally = (wasAnswered ? answered : unanswered)[operation.ordinal()];
        tally.count.increment();
        tally.nanos.add(nanos);
    }

    @Override
    public String clientName() {
        return engine.clientName;
    }

    @Override
    public long held() {
        return held.sum();
    }

    @Override
    public long waiting() {
        return waiting.sum();
    }

    @Override
    public long localHandOffs() {
        return localHandOffs.sum();
    }

    @Override
    public long remoteHandOffs() {
        return remoteHandOffs.sum();
    }

    @Override
    public long droppedEvents() {
        return dropped.sum();
    }

    @Override
    public Duration renewalLag() {
        long[] dueSince = {Long.MAX_VALUE};
        engine.gates.forEachGrant(held -> dueSince[0] = Math.min(dueSince[0], held.renewalDueNanos));
        long now = engine.now();
        return dueSince[0] < now ? Duration.ofNanos(now - dueSince[0]) : Duration.ZERO;
    }

    @Override
    public Calls answered(Operation operation) {
        return answered[operation.ordinal()].calls();
    }

    @Override
    public Calls unanswered(Operation operation) {
        return unanswered[operation.ordinal()].calls();
    }

    @Override
    public boolean isClosed() {
        return engine.isClosed();
    }

    @Override
    public String toString() {
        return "ClientStatistics[" + clientName() + ", held " + held() + ", waiting " + waiting() + ", answered "
                + Arrays.stream(answered).mapToLong(tally -> tally.count.sum()).sum() + "]";
    }
}
