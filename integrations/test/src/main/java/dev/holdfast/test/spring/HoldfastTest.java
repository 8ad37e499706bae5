package dev.holdfast.test.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.TestExecutionListeners;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A Spring test whose locks the test controls. The context has a bean {@link dev.holdfast.test.TestLocks}, and its client
 * is the primary {@link dev.holdfast.Holdfast}: no store is connected. After each test method the locks are
 * {@linkplain dev.holdfast.test.TestLocks#reset() reset}.
 *
 * <pre>{@code
 * @HoldfastTest
 * @ContextConfiguration(classes = Checkout.class)
 * class CheckoutTest {
 *     @Autowired
 *     TestLocks locks;
 *
 *     @Autowired
 *     Checkout checkout;
 *
 *     @Test
 *     void refusesWhileAnotherInstanceHasTheOrder() {
 *         locks.anotherClientTakes("orders/42");
 *         assertFalse(checkout.tryConfirm(42));
 *     }
 * }
 * }</pre>
 *
 * <p>Beside {@code @SpringBootTest} it replaces the client of the whole application. Without that it is a slice: of
 * auto-configurations it brings only those of the Holdfast starter, if that is on the class path, so that
 * {@code @Locked} works.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(SpringExtension.class)
@ImportAutoConfiguration
@TestExecutionListeners(listeners = LocksReset.class, mergeMode = TestExecutionListeners.MergeMode.MERGE_WITH_DEFAULTS)
public @interface HoldfastTest {}
