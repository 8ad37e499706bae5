package dev.holdfast.server.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.LossReason;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import dev.holdfast.spi.Claim;

/** Why there is no lease, in the words of the wire. Contended, lost and cannot tell stay apart. */
final class Refusals {
    private Refusals() {}

    static Problem contended(Claim claim, Ask ask) {
        return new Problem(
                Code.CONTENDED,
                "'" + claim.describe() + "' is held by somebody else"
                        + (ask.maxWait().isZero() ? "" : ", and was for as long as was to be waited"));
    }

    static Problem cannotTell(RuntimeException cause) {
        return new Problem(Code.CANNOT_TELL, String.valueOf(cause.getMessage()));
    }

    /** The store was asked for a lock and did not answer. */
    static Problem unanswered(RuntimeException failure, Ask ask) {
        return new Problem(
                Code.CANNOT_TELL,
                failure.getMessage()
                        + (ask.keyGiven()
                                ? ". Repeat the request with the same Idempotency-Key to find out"
                                : ". What was granted without an answer is given back"));
    }

    static Problem endedTooSoon() {
        return new Problem(
                Code.CANNOT_TELL, "the lease ended before it could be handed out, several times; is it too short?");
    }

    static Problem stopping() {
        return new Problem(Code.UNAVAILABLE, "this server is stopping; another instance can answer");
    }

    static Problem stoppedWhileWaiting() {
        return new Problem(
                Code.UNAVAILABLE,
                "this server is stopping; repeat the request, which another instance answers if there is one");
    }

    static Problem rightsChanged() {
        return new Problem(
                Code.UNAVAILABLE, "the access file has changed for this client while the request waited; repeat it");
    }

    static Problem elsewhere() {
        return new Problem(
                Code.LEASE_ELSEWHERE,
                "with this store a lease lives in the session of the instance that granted it: it is another"
                        + " instance's, or ended when that one was restarted");
    }

    static Problem misconfigured(HoldfastException refusal) {
        return new Problem(Code.MISCONFIGURED, String.valueOf(refusal.getMessage()));
    }

    static Problem defect() {
        return new Problem(Code.INTERNAL, "the server could not do this; its log says why");
    }

    static Problem lost(LossReason reason) {
        return new Problem(
                        Code.LEASE_LOST,
                        "the lease is not held any more: " + reason.explanation()
                                + (reason == LossReason.EXPIRED ? ", or it was released" : ""))
                .with("reason", Leases.word(reason));
    }
}
