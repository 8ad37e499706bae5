package dev.holdfast.spi;

import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A place that grants locks, in atomic steps that never wait for a holder. Called by many threads at once. A call may
 * block up to the command timeout of its {@link StoreContext}.
 *
 * <p>Every method throws {@link dev.holdfast.StoreUnavailableException} when the outcome is unknown (also when it may
 * have taken effect) and {@link dev.holdfast.StoreMisconfiguredException} when trying again cannot help. A deadline is
 * counted by the engine from the moment before the call, so an answer must state what is left by the store's clock.
 */
public interface LockStore extends AutoCloseable {

    /** {@return what this store promises; constant over its life} */
    StoreTraits traits();

    /**
     * Tries once. If the owner holds the claim already (its earlier reply was lost), answers with that grant and what is
     * left of it. If it stands in line already, keeps its place. An owner that was withdrawn with a tombstone is
     * answered contended and not put in line.
     *
     * @param claim what is asked for
     * @return the outcome
     */
    AcquireOutcome tryAcquire(Claim claim);

    /**
     * Asks again for claims that stand in line, in one round trip where possible. A claim that has dropped out of line
     * enters it again at the end.
     *
     * @param claims the claims
     * @return one outcome per claim, in the same order; unknown for those whose server did not answer
     */
    List<AcquireOutcome> poll(List<Claim> claims);

    /**
     * Ends a claim, atomically: leaves the line, or releases what the owner holds by now.
     *
     * @param claim the claim
     * @param mayStillArrive whether an earlier request of it was never answered: then a short-lived tombstone keeps that
     *     request from taking effect if it arrives later
     */
    void withdraw(Claim claim, boolean mayStillArrive);

    /**
     * Extends grants, each only if owner and epoch still match and it has not expired. Never creates a grant.
     *
     * @param grants the grants
     * @return one outcome per grant, in the same order
     */
    List<RenewOutcome> renew(List<Grant> grants);

    /**
     * Gives grants back, each only if owner and epoch still match.
     *
     * @param grants the grants
     * @return one outcome per grant, in the same order
     */
    List<ReleaseOutcome> release(List<Grant> grants);

    /**
     * Looks at one name.
     *
     * @param name the name
     * @return its holders and waiters; empty if there is nothing to tell
     */
    Optional<LockView> inspect(String name);

    /**
     * Looks at names with holders or waiters.
     *
     * @param prefix what they begin with
     * @param limit the most to return
     * @return the views, sorted by name
     */
    List<LockView> list(String prefix, int limit);

    /**
     * Takes a name away from all its holders, or from the one with a given epoch, and tells them. Whether a holder has
     * that epoch is decided in the same atomic step, so that a later grant is never hit. A claim over several names loses
     * all of them. The next grant has a larger epoch.
     *
     * @param name the name
     * @param epoch the epoch of the only grant to end; empty for all holders
     * @param by who asks for it
     * @param reason why
     * @return how many holders were evicted
     */
    int evict(String name, OptionalLong epoch, String by, String reason);

    /** Checks that the store answers and can be used. */
    void ping();

    /** Ends the connection. Grants that are left end with their lease or session. */
    @Override
    void close();
}
