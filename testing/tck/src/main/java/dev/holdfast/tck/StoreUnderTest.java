package dev.holdfast.tck;

import dev.holdfast.Credentials;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * What the suite must know of a store in order to test it; both contracts ask for it. Only the URL is needed.
 *
 * <p>The methods are called by one thread at a time, many times over, and answer the same every time.
 */
public interface StoreUnderTest {

    /**
     * Tells where the store is. Every client of the suite, in this process and in others, meets the others there. The
     * suite uses names of its own that no other program uses.
     *
     * @return the URL, with options behind {@code #} if they are needed
     */
    String url();

    /**
     * Opens the store without the engine. The default asks the provider of the URL's scheme, with the password in
     * {@code HOLDFAST_PASSWORD} if there is one.
     *
     * @param context what the store is lent
     * @return the store, closed by the suite
     */
    default LockStore open(StoreContext context) {
        String password = System.getenv("HOLDFAST_PASSWORD");
        StoreUri uri = StoreUri.parse(url(), Map.of(), password == null ? null : Credentials.ofPassword(password));
        return ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains(uri.scheme()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no provider on the class path opens " + uri))
                .open(uri, context);
    }

    /**
     * Chooses the lease for tests in which a lease must run out. Shorter is faster; it has to be longer than a few round
     * trips. Where the store declares a longer one to be its shortest, that is used.
     *
     * @return the lease, 300 ms if not overridden
     */
    default Duration shortLease() {
        return Duration.ofMillis(300);
    }

    /**
     * Bounds how long the suite waits for something that must happen in the end. Nothing that works takes this long; it
     * only decides how soon a failure is reported.
     *
     * @return the bound, 30 seconds if not overridden
     */
    default Duration patience() {
        return Duration.ofSeconds(30);
    }
}
