package dev.holdfast.store.memory;

import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;

/** Outages of the store in memory, made between it and its clients. */
final class MemoryOutageTest extends OutageContract {
    private final Outages outages = Outages.injectedInto(this);

    @Override
    public String url() {
        return "memory:tck-outages";
    }

    @Override
    public Outages outages() {
        return outages;
    }
}
