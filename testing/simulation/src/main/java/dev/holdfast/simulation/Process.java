package dev.holdfast.simulation;

import dev.holdfast.Holdfast;
import dev.holdfast.LossReason;
import dev.holdfast.engine.StoreCalls;
import dev.holdfast.engine.Surroundings;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ServerClock;
import dev.holdfast.spi.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One client's process: its clock, timers, callbacks and connection. While it is paused nothing of it runs, but its clock
 * goes on and its requests travel on; once crashed it is never heard of again.
 */
final class Process implements StoreCalls {
    /** What waited for the end of a pause happens within this time after it, in any order. */
    static final long WAKING_NANOS = 1_000_000;

    private final World world;
    private final String name;
    private final SkewedClock clock;
    private final Server server;
    private final Profile profile;
    private final SplittableRandom random;
    private final Link link;
    private final ServerClock serverClock;
    private final VirtualTimeline timeline = new VirtualTimeline();
    private final List<Runnable> deferred = new ArrayList<>();
    private final Beliefs beliefs;
    private @Nullable StoreListener listener;
    private @Nullable Holdfast holdfast;
    private State state = State.RUNNING;
    private boolean closed;
    private boolean deaf;
    private long closedAt = Long.MAX_VALUE;
    private long awakeSince;
    private long timersFrom;
    private long dispatchedAt;
    private long cachedDue = -1;
    private long cachedDueAt;
    private int answers;
    private int holds;
    private long lastSettledAt;

    /** Locks that the program holds through the thread-owned view: all its actors are one thread to the library. */
    private final Set<String> threadLocks = new HashSet<>();

    private enum State {
        RUNNING,
        PAUSED,
        CRASHED
    }

    Process(String name, World world, SkewedClock clock, Server server, Profile profile, SplittableRandom random) {
        this.name = name;
        this.world = world;
        this.clock = clock;
        this.server = server;
        this.profile = profile;
        this.random = random;
        this.link = new Link(world, server, this, profile, random.split());
        this.serverClock = new ServerClock(clock);
        this.beliefs = new Beliefs(world, this);
    }

    /** What the engine gets from this process. */
    Surroundings surroundings() {
        SplittableRandom owners = random.split();
        return new Surroundings(
                clock,
                timeline,
                this,
                this::callBack,
                this::callBack,
                this::callBack,
                random.split(),
                () -> new OwnerId(owners.nextLong(), owners.nextLong()),
                Duration.ofNanos(profile.commandTimeoutNanos),
                true);
    }

    LockStore openStore(StoreListener toTell) {
        listener = toTell;
        return new RemoteStore(link::callNow, profile.traits());
    }

    void started(Holdfast with) {
        holdfast = with;
    }

    Holdfast holdfast() {
        return Objects.requireNonNull(holdfast, "not started");
    }

    SkewedClock clock() {
        return clock;
    }

    Profile profile() {
        return profile;
    }

    Link link() {
        return link;
    }

    Server server() {
        return server;
    }

    Beliefs beliefs() {
        return beliefs;
    }

    @Override
    public <R> void submit(Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
        if (state != State.CRASHED) {
            link.call(call, reply);
        }
    }

    private void callBack(Runnable callback) {
        long now = world.now();
        long delay = profile.callbackDelayNanos == 0 ? 0 : random.nextLong(profile.callbackDelayNanos);
        world.at(now + delay, this, () -> {
            dispatchedAt = now;
            callback.run();
        });
    }

    /** When the callback that runs now was given to the executor. */
    long dispatchedAt() {
        return dispatchedAt;
    }

    /** Learns what an answer says, at the moment of hearing it. */
    void heard(List<ServerView.Fact> facts, long sentNanos, long serverNanos) {
        answers++;
        serverClock.answered(sentNanos, serverNanos);
        for (ServerView.Fact fact : facts) {
            server.ledger().heard(fact.name(), fact.epoch(), fact.wanted(), serverNanos);
        }
    }

    /** How many answers and grants of the server have been heard. */
    int answers() {
        return answers;
    }

    void grantPushed(List<Grant> grants, long serverNanos) {
        if (world.logs()) {
            world.log(this + " hears: granted " + Words.of(grants.get(0)));
        }
        // It says as much as an answer does: the claim stood in line, so somebody else had the lock.
        answers++;
        for (Grant grant : grants) {
            server.ledger().heard(grant.name(), grant.epoch(), grant.wanted(), serverNanos);
        }
        listener().granted(grants, serverClock.notLaterThan(serverNanos));
    }

    void wantedPushed(String lockName, long epoch, long serverNanos) {
        if (world.logs()) {
            world.log(this + " hears: wanted " + lockName + "@" + epoch);
        }
        server.ledger().heard(lockName, epoch, true, serverNanos);
        listener().wanted(lockName, epoch);
    }

    void lossPushed(String lockName, OwnerId owner, long epoch, LossReason reason) {
        if (world.logs()) {
            world.log(this + " hears: lost " + lockName + "@" + epoch);
        }
        listener().lost(lockName, owner, epoch, reason);
    }

    private StoreListener listener() {
        return Objects.requireNonNull(listener, "not started");
    }

    void holdBegins() {
        holds++;
    }

    void holdEnds() {
        holds--;
    }

    /** How many holds the program has begun and not ended. */
    int holds() {
        return holds;
    }

    /** Reserves the thread-owned view of a lock for one actor. */
    boolean enterAsThread(String key) {
        return threadLocks.add(key);
    }

    boolean isThreadIn(List<String> names) {
        return names.stream().anyMatch(threadLocks::contains);
    }

    void waitSettled() {
        lastSettledAt = world.now();
    }

    /** When a wait of this process last came to an end. */
    long lastSettledAt() {
        return lastSettledAt;
    }

    void leaveAsThread(String key) {
        threadLocks.remove(key);
    }

    /** Runs something of this process, now or when its pause is over. */
    void run(Runnable action) {
        if (state == State.PAUSED) {
            deferred.add(action);
        } else if (state == State.RUNNING) {
            world.guarded(action);
            beliefs.observe();
        }
    }

    /** When the next timer goes off in true time, or {@code Long.MAX_VALUE}. */
    long nextTimerAt() {
        if (state != State.RUNNING) {
            return Long.MAX_VALUE;
        }
        long due = timeline.firstDueNanos();
        if (due == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        if (due != cachedDue) {
            cachedDue = due;
            cachedDueAt = clock.whenShows(due);
        }
        return Math.max(cachedDueAt, timersFrom);
    }

    void runTimer() {
        if (world.logs()) {
            world.log(this + " timer: " + timeline.describeFirst());
        }
        run(timeline::runFirst);
    }

    int timers() {
        return timeline.size();
    }

    void pause() {
        if (state == State.RUNNING) {
            world.log(this + " pauses");
            state = State.PAUSED;
        }
    }

    /** Goes on after a pause. What the program looks at first is whether it still holds its locks. */
    void resume() {
        if (state != State.PAUSED) {
            return;
        }
        world.log(this + " resumes");
        state = State.RUNNING;
        awakeSince = world.now();
        timersFrom = world.now() + random.nextLong(WAKING_NANOS);
        beliefs.observeWaking();
        List<Runnable> waiting = List.copyOf(deferred);
        deferred.clear();
        for (Runnable action : waiting) {
            world.at(world.now() + random.nextLong(WAKING_NANOS), this, action);
        }
    }

    void crash() {
        if (!closed) {
            world.log(this + " crashes");
            state = State.CRASHED;
        }
    }

    /** Closes the client, as a program does at its end. */
    void close() {
        close(random.nextBoolean());
    }

    /** Closes the client; the real one waits for answers as long as one command may take. */
    void closeAndHear() {
        close(false);
    }

    private void close(boolean hearsNothing) {
        if (closed || state != State.RUNNING) {
            return;
        }
        world.log(this + " closes its client");
        closed = true;
        closedAt = world.now();
        deaf = hearsNothing;
        holdfast().close();
    }

    boolean isLive() {
        return state != State.CRASHED && !closed;
    }

    boolean isCrashed() {
        return state == State.CRASHED;
    }

    boolean isRunning() {
        return state == State.RUNNING && !closed;
    }

    boolean isClosed() {
        return closed;
    }

    /** When the client was closed, or {@code Long.MAX_VALUE}. */
    long closedAt() {
        return closedAt;
    }

    /** After a close, answers may go unheard. */
    boolean isDeaf() {
        return deaf;
    }

    /** Since when it has not been paused. */
    long awakeSince() {
        return awakeSince;
    }

    @Override
    public String toString() {
        return name;
    }
}
