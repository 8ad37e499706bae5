package dev.holdfast.redis.wire;

import dev.holdfast.spi.ServerClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls that go to one server together and are answered together, asked by one thread. Whoever has a connection carries
 * it: the asking thread itself, or another one that takes it along. One that is taken along is
 *
 * <pre>
 *   ASKED ──► ANSWERED     the answers are being written into the calls, or there are none
 *     └─────► ABANDONED    its deadline has passed first: nobody writes into the calls any more
 * </pre>
 */
public final class Exchange {
    private static final int MOST_TO_TAKE_ALONG = 8;

    /** For whoever carries it to say that it is over, when the answers are there. */
    private static final long SHORT_WAIT_NANOS = 1_000_000;

    private enum State {
        ASKED,
        ANSWERED,
        ABANDONED
    }

    private final List<Call> calls;

    /** How many replicas have to acknowledge, and how long to wait for them; null if none have to. */
    private final @Nullable Replicas replicas;

    private final Deadline deadline;
    private final Thread asker = Thread.currentThread();
    private final AtomicReference<State> state = new AtomicReference<>(State.ASKED);
    private int acknowledged;

    /** How many answers the calls will have; written and read by whoever carries it. */
    private int expected;

    /** The clock of the server that answered. */
    private @Nullable ServerClock clock;

    /** Why there are no answers, if there are none; written before {@link #over}. */
    private @Nullable RuntimeException failure;

    private volatile boolean over;

    public Exchange(List<Call> calls, @Nullable Replicas replicas, Deadline deadline) {
        this.calls = calls;
        this.replicas = replicas;
        this.deadline = deadline;
    }

    List<Call> calls() {
        return calls;
    }

    /** {@return what its first call is about; empty if that is no key} */
    public byte[] key() {
        return calls.get(0).key();
    }

    /** {@return by when it has to be over} */
    public Deadline deadline() {
        return deadline;
    }

    /** Whether another thread may take it along with its own. */
    boolean isSmall() {
        return calls.size() <= MOST_TO_TAKE_ALONG;
    }

    public boolean isOver() {
        return over;
    }

    /** {@return how many replicas have acknowledged everything in it} */
    public int acknowledged() {
        return acknowledged;
    }

    /** {@return the clock of the server that answered} */
    public ServerClock clock() {
        return Objects.requireNonNull(clock, "not carried");
    }

    /** Marks the end; the asking thread goes on, unless it is the calling one. */
    public void end(@Nullable RuntimeException why) {
        if (state.get() == State.ABANDONED) {
            return;
        }
        failure = why;
        over = true;
        if (asker != Thread.currentThread()) {
            wake();
        }
    }

    /** The asking thread does not wait any longer; false if the answers are there after all. */
    boolean abandon(RuntimeException why) {
        if (!state.compareAndSet(State.ASKED, State.ABANDONED)) {
            return false;
        }
        failure = why;
        over = true;
        return true;
    }

    /**
     * For the asking thread, while another one carries it: waits for the end, but not beyond its deadline.
     *
     * @param ifLate what it fails with then
     */
    public void await(Supplier<BrokenExchange> ifLate) {
        boolean interrupted = false;
        while (!over) {
            long left = deadline.leftNanos();
            if (left > 0 || !abandon(ifLate.get())) {
                LockSupport.parkNanos(this, Math.max(left, SHORT_WAIT_NANOS));
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        throwIfFailed();
    }

    /** Lets the asking thread look whether it can go on. */
    void wake() {
        LockSupport.unpark(asker);
    }

    void throwIfFailed() {
        RuntimeException why = failure;
        if (why != null) {
            throw why;
        }
    }

    /** {@return whether a call was refused because the server is not the master, or not any more} */
    public boolean metReplica() {
        for (Call call : calls) {
            ServerRefusal refusal = call.refusal();
            if (refusal != null && Faults.isFromReplica(refusal)) {
                return true;
            }
        }
        return false;
    }

    /** Sends everything in some exchanges at once and reads the answers; a refused command is an answer. */
    public static void carry(ServerConnection line, List<Exchange> together) {
        if (together.size() == 1) {
            Exchange only = together.get(0);
            only.clock = line.clock();
            if (only.asker == Thread.currentThread() && only.isSimple()) {
                carrySimple(line, only.calls.get(0));
                return;
            }
        }
        int expected = 0;
        for (Exchange exchange : together) {
            expected += exchange.send(line);
        }
        List<@Nullable Object> answers = new ArrayList<>(expected);
        for (int i = 0; i < expected; i++) {
            answers.add(line.connection().receive());
        }
        int at = 0;
        for (Exchange exchange : together) {
            int count = exchange.expected;
            if (exchange.state.compareAndSet(State.ASKED, State.ANSWERED)) {
                exchange.clock = line.clock();
                exchange.take(answers, at);
            }
            at += count;
        }
    }

    private boolean isSimple() {
        return calls.size() == 1 && replicas == null;
    }

    private static void carrySimple(ServerConnection line, Call call) {
        for (int left = call.send(line); left > 1; left--) {
            line.connection().receive();
        }
        call.answered(line.connection().receive());
    }

    private int send(ServerConnection line) {
        expected = 0;
        for (Call call : calls) {
            expected += call.send(line);
        }
        if (replicas != null) {
            line.connection().send(Command.WAIT, replicas.countText(), replicas.millisText());
            expected++;
        }
        return expected;
    }

    private void take(List<@Nullable Object> answers, int from) {
        int at = from;
        for (Call call : calls) {
            at = call.take(answers, at);
        }
        if (replicas != null) {
            Object said = answers.get(at);
            if (said instanceof RuntimeException refused) {
                calls.forEach(call -> call.failed(refused));
            } else if (said instanceof Long count) {
                acknowledged = Math.toIntExact(count);
            } else {
                throw new BrokenConnection(new IOException("the server did not say how many replicas acknowledged"));
            }
        }
    }
}
