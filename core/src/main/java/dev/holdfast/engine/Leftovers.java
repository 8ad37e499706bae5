package dev.holdfast.engine;

import dev.holdfast.spi.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * What may be left at the store of a claim that is decided: a place in line, a request that arrives late, a grant that
 * nobody heard of. Nothing is done while its grant is held, because a withdrawal would end that too.
 *
 * <pre>
 *   NOT_YET ──claim dropped, or its grant given back──▶ DUE        a reply is still to come
 *      │                                                 │ it comes
 *      └──the same, and no reply is still to come──▶ CLEAR ◀┘       the claim is withdrawn, if need be
 * </pre>
 *
 * <p>Guarded by the gate of its claim.
 */
final class Leftovers {
    private enum State {
        NOT_YET,
        DUE,
        CLEAR
    }

    private final Contender contender;

    /** The grant was pushed: if it was found gone, the claim may stand in the store's line once more. */
    private final boolean pushed;

    /** A request was never answered and may still arrive. */
    private boolean mayStillArrive;

    /** A later request was refused: it may have put the claim in line again. */
    private boolean inLineAgain;

    /** The reply to a request is still to come. */
    private boolean replyDue;

    private State state = State.NOT_YET;

    Leftovers(Contender contender, boolean replyDue, boolean pushed) {
        this.contender = contender;
        this.mayStillArrive = contender.mayStillArrive();
        this.replyDue = replyDue;
        this.pushed = pushed;
    }

    /** Nobody wants the claim any more, and it was not granted as far as is known. */
    void claimIsOver(AfterUnlock after) {
        becomeDue(mayStillArrive || contender.claim.queue(), after);
    }

    /**
     * The grant of the claim has been given back.
     *
     * @param maybeNotHeld whether it may have been gone by then
     */
    void grantIsGone(boolean maybeNotHeld, AfterUnlock after) {
        if (state == State.NOT_YET) {
            becomeDue(mayStillArrive || inLineAgain || (pushed && maybeNotHeld), after);
        }
    }

    /** A reply that is still to come decides whether anything is to be withdrawn: it says what is left. */
    private void becomeDue(boolean withdraw, AfterUnlock after) {
        state = State.DUE;
        if (replyDue) {
            cleanup().closingWaits();
            contender.gate.engine.gates.awaitsReply(contender);
        } else {
            clear(withdraw, after);
        }
    }

    /** An answer to the claim came after it was decided; neither an answer nor a failure means that it was not asked. */
    void replied(@Nullable AcquireOutcome outcome, @Nullable Throwable failure, AfterUnlock after) {
        replyDue = false;
        mayStillArrive |= failure != null;
        inLineAgain |= outcome instanceof AcquireOutcome.Contended;
        if (state == State.DUE) {
            contender.gate.engine.gates.awaitsReplyNoMore(contender);
            boolean queued = outcome != null && contender.claim.queue();
            try {
                clear(mayStillArrive || queued || outcome instanceof AcquireOutcome.Granted, after);
            } finally {
                cleanup().closingNeedNotWait();
            }
        }
    }

    private void clear(boolean withdraw, AfterUnlock after) {
        state = State.CLEAR;
        if (withdraw) {
            cleanup().withdraw(contender.claim, mayStillArrive, after);
        }
    }

    private StoreCleanup cleanup() {
        return contender.gate.engine.cleanup;
    }
}
