package dev.holdfast;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;

/**
 * Opens a store from objects that the program already has. The store modules have methods that make one; give it to
 * {@link HoldfastBuilder#store}. Only authors of stores write one.
 */
@FunctionalInterface
public interface StoreFactory {
    /**
     * Opens the store. Called by the client.
     *
     * @param context what the engine lends to the store
     * @return the store, owned by the caller
     */
    LockStore open(StoreContext context);
}
