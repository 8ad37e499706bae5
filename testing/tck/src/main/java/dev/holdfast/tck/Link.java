package dev.holdfast.tck;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The line between one client and its store, which a test can cut, block, slow down or make lose replies; the store
 * behind it is the real one. Thread-safe; faults are switched by one thread.
 */
final class Link {
    /** What a client asks of its store. */
    enum Step {
        ACQUIRE,
        POLL,
        WITHDRAW,
        RENEW,
        RELEASE,
        LOOK,
        EVICT,
        PING
    }

    private static final Set<Step> CHANGES = EnumSet.complementOf(EnumSet.of(Step.LOOK, Step.PING));
    private static final Predicate<String> NO_NAME = name -> false;

    private final Map<Step, AtomicInteger> calls = new EnumMap<>(Step.class);
    private final Map<Step, AtomicInteger> answers = new EnumMap<>(Step.class);
    private final Map<Step, AtomicInteger> repliesToLose = new EnumMap<>(Step.class);
    private final Map<String, Integer> renewals = new ConcurrentHashMap<>();
    private final Queue<Runnable> late = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> sentInSilence = new ConcurrentLinkedQueue<>();
    private final LinkedListener.Tap messages = new LinkedListener.Tap();
    private final LinkedSession session = new LinkedSession();
    private volatile Set<Step> broken = Set.of();
    private volatile Set<Step> delayed = Set.of();
    private volatile Set<Step> stalled = Set.of();
    private volatile Set<Step> slowToReply = Set.of();
    private volatile Predicate<String> silent = NO_NAME;
    private volatile Duration slowness = Duration.ZERO;
    private volatile boolean resetting;
    private volatile CountDownLatch requestsGo = new CountDownLatch(1);
    private volatile CountDownLatch repliesGo = new CountDownLatch(1);

    Link() {
        for (Step step : Step.values()) {
            calls.put(step, new AtomicInteger());
            answers.put(step, new AtomicInteger());
            repliesToLose.put(step, new AtomicInteger());
        }
    }

    /** From now on no request reaches the store and no message of the store reaches the client. */
    void cut() {
        messages.drop();
        broken = EnumSet.allOf(Step.class);
    }

    /** From now on requests of this kind fail before they reach the store. */
    void fail(Step step) {
        broken = EnumSet.of(step);
    }

    /** From now on the store can be looked at, but every other request fails before it reaches the store. */
    void refuseChanges() {
        broken = CHANGES;
    }

    /** From now on every request fails, by turns before and after it has taken effect; messages are lost. */
    void reset() {
        messages.drop();
        resetting = true;
    }

    /** From now on requests of this kind hang before they reach the store, for the command timeout at most. */
    void stall(Step step) {
        stalled = EnumSet.of(step);
    }

    /**
     * From now on nothing about these names passes, either way. Requests hang for the command timeout at most, and
     * arrive when the line is healed, although nobody waits for their answers then.
     */
    void silence(Predicate<String> names) {
        messages.hold(names);
        silent = names;
    }

    /** {@return whether nothing about a name passes} */
    boolean isSilentFor(String name) {
        return silent.test(name);
    }

    /** From now on requests of this kind take effect, but their replies hang, for the command timeout at most. */
    void holdReplies(Step step) {
        slowToReply = EnumSet.of(step);
    }

    /** From now on requests take effect, but replies hang, for the command timeout at most, and so do messages. */
    void holdEverythingBack() {
        messages.hold(name -> true);
        slowToReply = EnumSet.allOf(Step.class);
    }

    /** Lets the replies go on that hang. */
    void letRepliesGo() {
        slowToReply = Set.of();
        CountDownLatch hanging = repliesGo;
        repliesGo = new CountDownLatch(1);
        hanging.countDown();
    }

    /** From now on every request takes this much longer, one half before it reaches the store. */
    void slowDown(Duration byTime) {
        slowness = byTime;
    }

    /** From now on requests of this kind fail, but are on their way and may still be delivered. */
    void delay(Step step) {
        delayed = EnumSet.of(step);
    }

    /** Lets the delayed requests reach the store; their outcomes reach nobody. */
    void deliverLate() {
        deliver(late);
    }

    private static void deliver(Queue<Runnable> requests) {
        for (Runnable request = requests.poll(); request != null; request = requests.poll()) {
            request.run();
        }
    }

    /** From now on messages of the store are on their way. */
    void holdMessages() {
        messages.hold(name -> true);
    }

    /** {@return whether the client was told that it has lost a name} */
    boolean hasToldLossOf(String name) {
        return messages.hasToldLossOf(name);
    }

    /** {@return how many messages are held back} */
    int heldMessages() {
        return messages.held();
    }

    /** Lets the messages reach the client that were held back. */
    void deliverMessages() {
        messages.flow();
    }

    /** The next requests of this kind take effect, but the client sees a failure. */
    void loseReplies(Step step, int count) {
        counter(repliesToLose, step).set(count);
    }

    /** Ends every fault; what hangs goes on. */
    void heal() {
        broken = Set.of();
        delayed = Set.of();
        stalled = Set.of();
        silent = NO_NAME;
        slowness = Duration.ZERO;
        resetting = false;
        repliesToLose.values().forEach(count -> count.set(0));
        CountDownLatch hanging = requestsGo;
        requestsGo = new CountDownLatch(1);
        hanging.countDown();
        letRepliesGo();
        messages.flow();
        deliver(sentInSilence);
    }

    /** {@return how many requests of this kind the client has made, lost ones included} */
    int calls(Step step) {
        return counter(calls, step).get();
    }

    /** {@return how many requests of this kind the store has answered} */
    int answers(Step step) {
        return counter(answers, step).get();
    }

    /** {@return how many requests to acquire something the client has made, first and later ones} */
    int attempts() {
        return calls(Step.ACQUIRE) + calls(Step.POLL);
    }

    /** {@return how often the client has asked to renew a grant of this name} */
    int renewals(String name) {
        return renewals.getOrDefault(name, 0);
    }

    void noteRenewals(List<Grant> grants) {
        grants.forEach(grant -> renewals.merge(grant.name(), 1, Integer::sum));
    }

    /** {@return the session that the client's grants seem to be bound to, if a test wants one} */
    LinkedSession session() {
        return session;
    }

    /** Puts this line between a client and the store that {@code opener} opens. */
    LockStore connect(StoreContext context, Function<StoreContext, LockStore> opener) {
        StoreContext heardThroughHere = context.withListener(new LinkedListener(messages, session, context.listener()));
        LockStore store = opener.apply(heardThroughHere);
        session.connect(store, context.listener());
        return new LinkedStore(this, store, context.commandTimeout());
    }

    <R> R call(Step step, List<String> names, Duration commandTimeout, Supplier<R> request) {
        int number = counter(calls, step).incrementAndGet();
        String lockName = String.join(",", names);
        pause(step, lockName, slowness.dividedBy(2));
        CountDownLatch requestGoes = requestsGo;
        if (names.stream().anyMatch(silent)) {
            hangInSilence(step, lockName, commandTimeout, requestGoes, request);
        }
        if (stalled.contains(step)) {
            hang(step, lockName, commandTimeout, requestGoes);
        }
        if (delayed.contains(step)) {
            late.add(() -> answered(step, request.get()));
            throw failure(step, lockName, "the test has delayed the request");
        }
        if (broken.contains(step) || (resetting && number % 2 == 0)) {
            throw failure(step, lockName, "the test has cut the line");
        }
        CountDownLatch replyGoes = repliesGo;
        boolean replyHangs = slowToReply.contains(step);
        R reply = answered(step, request.get());
        if (replyHangs) {
            hang(step, lockName, commandTimeout, replyGoes);
        }
        if (resetting
                || broken.contains(step)
                || counter(repliesToLose, step).getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            throw failure(step, lockName, "the test has lost the reply");
        }
        pause(step, lockName, slowness.dividedBy(2));
        return reply;
    }

    private <R> R answered(Step step, R reply) {
        counter(answers, step).incrementAndGet();
        return reply;
    }

    private void hangInSilence(
            Step step, String lockName, Duration commandTimeout, CountDownLatch latch, Supplier<?> request) {
        try {
            hang(step, lockName, commandTimeout, latch);
        } catch (StoreUnavailableException gaveUp) {
            sentInSilence.add(() -> arrive(step, request));
            throw gaveUp;
        }
    }

    /** A request that its client has given up comes to the store, which the client may have closed since. */
    private void arrive(Step step, Supplier<?> request) {
        try {
            Object unused = answered(step, request.get());
        } catch (StoreUnavailableException closed) {
            // Then it arrives nowhere.
        }
    }

    private static void hang(Step step, String lockName, Duration commandTimeout, CountDownLatch latch) {
        if (!passes(step, lockName, commandTimeout, latch)) {
            throw failure(step, lockName, "the test has blocked the line");
        }
    }

    private void pause(Step step, String lockName, Duration time) {
        if (!time.isZero()) {
            boolean unused = passes(step, lockName, time, requestsGo);
        }
    }

    private static boolean passes(Step step, String lockName, Duration time, CountDownLatch latch) {
        try {
            return latch.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw failure(step, lockName, "interrupted while the test blocked the line");
        }
    }

    private static StoreUnavailableException failure(Step step, String lockName, String why) {
        return new StoreUnavailableException(step.name(), lockName, new IllegalStateException(why));
    }

    private static AtomicInteger counter(Map<Step, AtomicInteger> counters, Step step) {
        @Nullable AtomicInteger counter = counters.get(step);
        if (counter == null) {
            throw new IllegalStateException("no counter for " + step);
        }
        return counter;
    }
}
