package dev.holdfast.tck;

import dev.holdfast.StoreTraits;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Tells at the end of a contract's run what the store does not promise, one line per promise and once per process.
 * Thread-safe.
 */
final class PromiseReport implements AfterAllCallback {
    private static final Map<String, Set<StoreTraits.Promise>> PENDING = new TreeMap<>();
    private static final Set<String> TOLD = new TreeSet<>();

    /** Remembers what a store under test does not promise. */
    static void note(String storeName, StoreTraits traits) {
        synchronized (PENDING) {
            PENDING.putIfAbsent(storeName, traits.missing());
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (context.getEnclosingTestClasses().isEmpty()) {
            synchronized (PENDING) {
                PENDING.forEach(PromiseReport::tell);
                PENDING.clear();
            }
        }
    }

    private static void tell(String storeName, Set<StoreTraits.Promise> missing) {
        if (TOLD.add(storeName)) {
            missing.forEach(promise -> System.out.println(
                    storeName + ": does not promise: " + promise.explanation() + " (" + promise + ")"));
        }
    }
}
