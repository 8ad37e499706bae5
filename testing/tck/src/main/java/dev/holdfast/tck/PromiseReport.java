package dev.holdfast.tck;

import dev.holdfast.StoreTraits;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Tells at the end of a contract's run what the store does not promise and which faults it cannot have, one line each and
 * once per process. Thread-safe.
 */
final class PromiseReport implements AfterAllCallback {
    private static final Set<String> PENDING = new LinkedHashSet<>();
    private static final Set<String> TOLD = new HashSet<>();

    /** Remembers what a store under test does not promise. */
    static void note(String storeName, StoreTraits traits) {
        traits.missing()
                .forEach(promise ->
                        note(storeName + ": does not promise: " + promise.explanation() + " (" + promise + ")"));
    }

    /** Remembers which faults a store under test cannot have. */
    static void note(String storeName, Map<Outages.Fault, String> impossible) {
        new TreeMap<>(impossible)
                .forEach((fault, why) ->
                        note(storeName + ": no test where " + fault.explanation() + " (" + fault + "): " + why));
    }

    private static void note(String line) {
        synchronized (PENDING) {
            PENDING.add(line);
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (context.getEnclosingTestClasses().isEmpty()) {
            synchronized (PENDING) {
                PENDING.stream().filter(TOLD::add).forEach(System.out::println);
                PENDING.clear();
            }
        }
    }
}
