package dev.holdfast.engine;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreListener;
import java.util.List;

/** Takes what the store tells unasked to the gate that it concerns. Thread-safe. */
final class StoreMessages implements StoreListener {
    private final Engine engine;

    StoreMessages(Engine engine) {
        this.engine = engine;
    }

    @Override
    public void retry(String name, OwnerId owner) {
        engine.gates.forEachOf(name, owner, gate -> gate.hint(owner));
    }

    @Override
    public void granted(List<Grant> grants, long anchorNanos) {
        OwnerId owner = grants.get(0).owner();
        Contender over = engine.gates.overClaimOf(owner);
        if (over != null) {
            over.gate.grantedTooLate(over, grants);
            return;
        }
        engine.gates.forEachOf(grants.get(0).name(), owner, gate -> gate.pushed(owner, grants, anchorNanos));
    }

    @Override
    public void wanted(String name, long epoch) {
        engine.gates.forEachPassing(name, gate -> gate.wanted(epoch));
    }

    @Override
    public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
        engine.gates.forEachOf(name, owner, gate -> gate.lost(owner, epoch, reason));
    }

    @Override
    public void sessionLost(String session) {
        engine.lostSessions.add(session);
        engine.gates.forEachGrant(held -> {
            if (held.isOf(session)) {
                held.endBecause(LossReason.SESSION_LOST);
            }
        });
        engine.cleanup.sessionLost(session);
    }
}
