package dev.holdfast.spi;

/** Opens a store from objects that the program already has. */
@FunctionalInterface
public interface StoreFactory {
    /**
     * Opens the store.
     *
     * @param context what the engine lends to the store
     * @return the store, owned by the caller
     */
    LockStore open(StoreContext context);
}
