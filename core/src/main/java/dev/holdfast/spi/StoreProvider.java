package dev.holdfast.spi;

import java.util.Set;

/** Opens stores by URL; found through {@link java.util.ServiceLoader}. Thread-safe. */
public interface StoreProvider {

    /** {@return the URL schemes that this provider opens, in lower case, without the colon} */
    Set<String> schemes();

    /** {@return the options that may stand behind {@code #} in its URLs; others are refused before it is asked} */
    Set<String> options();

    /**
     * Opens a store. Must not need the store to be reachable: {@link LockStore#ping()} checks that.
     *
     * @param uri the store's address and options
     * @param context what the engine lends to the store
     * @return the store, owned by the caller
     * @throws dev.holdfast.StoreMisconfiguredException if the address or an option's value is wrong
     */
    LockStore open(StoreUri uri, StoreContext context);
}
