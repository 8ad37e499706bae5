package dev.holdfast.redis.lent;

import java.util.concurrent.atomic.AtomicReference;

/**
 * An exchange on a borrowed connection, which is cut if the answer is overdue: the client's own limit may be another one, or
 * none. Once it has ended, the connection may be anybody's, and is not touched any more.
 *
 * <pre>
 *   OPEN ──▶ ENDED     answered or failed
 *     └────▶ CUT
 * </pre>
 */
final class LentExchange {
    private enum State {
        OPEN,
        ENDED,
        CUT
    }

    private final Loan loan;
    private final long untilNanos;
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

    LentExchange(Loan loan, long untilNanos) {
        this.loan = loan;
        this.untilNanos = untilNanos;
    }

    void endIfOverdue(long nowNanos) {
        if (nowNanos - untilNanos >= 0) {
            cut();
        }
    }

    void cut() {
        if (state.compareAndSet(State.OPEN, State.CUT)) {
            Loan.cut(loan.connection());
        }
    }

    /** {@return whether it was cut} */
    boolean wasCut() {
        return state.get() == State.CUT;
    }

    /** From now on, nobody cuts the connection, which can be given back. */
    void end() {
        if (!state.compareAndSet(State.OPEN, State.ENDED)) {
            // Whoever cuts it may not be done yet.
            loan.connection().setBroken();
        }
    }
}
