package dev.holdfast.engine;

/**
 * The way of one client to one name (or to one set of names): a line of local waiters of which only the head contends
 * for the lock at the store.
 *
 * <p>An exclusive lock of one name is passed on inside the client: the store's grant, the {@link Tenure}, stays at the
 * gate while leases are drawn from it one after another, each with a larger token. While the lock is out, the line
 * waits; when it comes back, the head gets it if the budget allows, otherwise the grant goes back to the store and the
 * head contends for a new one. Everything else (shared locks, several names) takes each lease from the store: a direct
 * attempt while nobody stands in line, and the line when that is not enough.
 *
 * <p>A gate is one state machine in two halves that share this object's monitor: the {@link Contest} for the lock, and
 * the {@link Tenancy} once it is granted. The invariants: a contender exists only while somebody stands in line, and not
 * beside a tenure; a gate with neither line, contender nor tenure may be retired and is never used again then. Nothing that can block
 * happens under the monitor: what is to be done afterwards is collected in an {@link Aftermath}.
 */
final class Gate {
    private final Engine engine;
    private final String key;
    private final Contest contest = new Contest(this);
    private final Tenancy tenancy = new Tenancy(this);

    /** Guarded by this object's monitor. */
    private boolean retired;

    Gate(Engine engine, String key) {
        this.engine = engine;
        this.key = key;
    }

    Engine engine() {
        return engine;
    }

    Contest contest() {
        return contest;
    }

    Tenancy tenancy() {
        return tenancy;
    }

    /** Called with the monitor held. */
    boolean isRetired() {
        return retired;
    }

    /** Called with the monitor held, at the end of each step. A few idle gates are kept for the next use. */
    void retireIfIdle() {
        if (contest.isIdle() && tenancy.isVacant() && !engine.keepsIdleGates()) {
            retire();
        }
    }

    /** Retires a gate that was kept idle for a while. */
    void sweep() {
        synchronized (this) {
            if (contest.isIdle() && tenancy.isVacant()) {
                retire();
            }
        }
    }

    private void retire() {
        if (!retired) {
            retired = true;
            tenancy.clearAlarm();
            engine.retire(key, this);
        }
    }
}
