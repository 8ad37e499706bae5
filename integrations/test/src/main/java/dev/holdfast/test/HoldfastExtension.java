package dev.holdfast.test;

import dev.holdfast.Holdfast;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each JUnit test locks of its own and closes them afterwards. Works with JUnit 5 and 6.
 *
 * <pre>{@code
 * @ExtendWith(HoldfastExtension.class)
 * class OrdersTest {
 *     @Test
 *     void stopsWhenItsLockIsLost(TestLocks locks, Holdfast client) throws InterruptedException {
 *         Lease lease = client.lock("orders/42").acquire();
 *         locks.lose("orders/42");
 *         assertFalse(lease.isHeld());
 *     }
 * }
 * }</pre>
 *
 * <p>A test, {@code @BeforeEach} or {@code @AfterEach} method may have a parameter of type {@link TestLocks},
 * {@link Holdfast} (its client) or {@link EventLog}.
 */
public final class HoldfastExtension implements ParameterResolver, AfterEachCallback {
    private static final Set<Class<?>> OFFERED = Set.of(TestLocks.class, Holdfast.class, EventLog.class);

    /** Made by JUnit. */
    public HoldfastExtension() {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return OFFERED.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("each test has locks of its own: ask for "
                    + parameter.getParameter().getType().getSimpleName()
                    + " in a test, @BeforeEach or @AfterEach method");
        }
        TestLocks locks = locksOf(context);
        Class<?> type = parameter.getParameter().getType();
        return type == Holdfast.class ? locks.client() : type == EventLog.class ? locks.events() : locks;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestLocks locks = store(context).remove(TestLocks.class, TestLocks.class);
        if (locks != null) {
            locks.close();
        }
    }

    private static synchronized TestLocks locksOf(ExtensionContext context) {
        ExtensionContext.Store store = store(context);
        TestLocks known = store.get(TestLocks.class, TestLocks.class);
        if (known != null) {
            return known;
        }
        TestLocks fresh = TestLocks.open();
        store.put(TestLocks.class, fresh);
        return fresh;
    }

    private static ExtensionContext.Store store(ExtensionContext context) {
        return context.getStore(ExtensionContext.Namespace.create(HoldfastExtension.class, context.getUniqueId()));
    }
}
