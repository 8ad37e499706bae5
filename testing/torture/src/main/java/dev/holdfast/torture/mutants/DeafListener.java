package dev.holdfast.torture.mutants;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreListener;
import java.util.List;

/** Hears of losses, but not of grants and not that it is worth asking again. */
record DeafListener(StoreListener engine) implements StoreListener {
    @Override
    public void retry(String name, OwnerId owner) {}

    @Override
    public void granted(List<Grant> grants, long anchorNanos) {}

    @Override
    public void wanted(String name, long epoch) {
        engine.wanted(name, epoch);
    }

    @Override
    public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
        engine.lost(name, owner, epoch, reason);
    }

    @Override
    public void sessionLost(String session) {
        engine.sessionLost(session);
    }
}
