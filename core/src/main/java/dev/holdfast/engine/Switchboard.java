package dev.holdfast.engine;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreListener;
import java.util.List;

/** Takes what the store tells unasked to the gate that it concerns. Thread-safe. */
final class Switchboard implements StoreListener {
    private final Engine engine;

    Switchboard(Engine engine) {
        this.engine = engine;
    }

    @Override
    public void retry(String name, OwnerId owner) {
        Gate gate = engine.gateOf(name, owner);
        if (gate != null) {
            gate.contest().hint(owner);
        }
    }

    @Override
    public void granted(List<Grant> grants, long anchorNanos) {
        OwnerId owner = grants.get(0).owner();
        Gate gate = engine.gateOf(grants.get(0).name(), owner);
        if (gate != null) {
            gate.contest().pushed(owner, grants, anchorNanos);
        }
    }

    @Override
    public void wanted(String name, long epoch) {
        Gate gate = engine.gateOf(name);
        if (gate != null) {
            gate.tenancy().wanted(epoch);
        }
    }

    @Override
    public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
        Gate gate = engine.gateOf(name, owner);
        if (gate != null) {
            gate.tenancy().lostBefore(owner, epoch);
        }
        engine.forEachTenureOf(name, held -> {
            if (held.isOf(owner, epoch)) {
                held.gate.tenancy().loseNow(held, reason);
            }
        });
    }

    @Override
    public void sessionLost(String session) {
        engine.forEachTenure(held -> {
            if (held.grants.stream().anyMatch(grant -> session.equals(grant.session()))) {
                held.gate.tenancy().loseNow(held, LossReason.SESSION_LOST);
            }
        });
    }
}
