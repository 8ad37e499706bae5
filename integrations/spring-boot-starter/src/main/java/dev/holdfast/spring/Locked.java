package dev.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method of a bean under a lock. Without the lock the method does not run: neither when somebody else holds it, nor
 * when the store does not answer. If the lock is lost while the method runs, the caller gets a
 * {@link dev.holdfast.LeaseLostException} after it, and a transaction that is still open is rolled back.
 *
 * <pre>{@code
 * @Locked(name = "order:#{#order.id}", waitFor = "2s", lease = "30s")
 * @Transactional
 * public void pay(Order order) { … }
 * }</pre>
 *
 * <p>The lock is taken before the transaction begins and released after it has been committed or rolled back. A method
 * that returns a {@code CompletionStage}, {@code Mono} or {@code Flux}, and a Kotlin {@code suspend} function, keeps the lock
 * until its result is complete or cancelled.
 *
 * <p>A parameter of the type {@link dev.holdfast.Lease} is given the lease, one with {@link LockToken} the fencing token.
 *
 * <p>Repeated, the method runs when it has all of the locks. They are taken in the order of their names, so that methods
 * do not block each other for ever, and none is kept if one of them cannot be had.
 *
 * <p>All texts may have <code>${…}</code> placeholders; durations are written as {@code 500ms}, {@code 2s}, {@code 5m}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Repeatable(Locked.Several.class)
public @interface Locked {

    /**
     * Names the lock, or several that are taken all or nothing. Expressions stand inside <code>#{…}</code> and see the
     * parameters as {@code #name}. In what an expression gives, every character is encoded that could be taken for one of the text
     * around it ({@code a:b} becomes {@code a%3Ab}), so two calls with different keys never get the same name. A key that is
     * null, blank or has no text of its own (a collection, an object without {@code toString}) is refused.
     *
     * @return one or more names
     */
    String[] name();

    /**
     * Chooses between an exclusive lock and one side of a read/write lock.
     *
     * @return the mode
     */
    LockMode mode() default LockMode.EXCLUSIVE;

    /**
     * Makes the lock a semaphore.
     *
     * @return how many permits there are in all; 0 for a lock
     */
    int capacity() default 0;

    /**
     * Asks for permits of a semaphore.
     *
     * @return how many permits the method needs
     */
    int permits() default 1;

    /**
     * Limits the wait for the lock.
     *
     * @return a duration; if empty, the property {@code holdfast.locked.wait} (10 seconds), and no wait at all for a
     *     {@code @Scheduled} method
     */
    String waitFor() default "";

    /**
     * Sets how long the store keeps the lock without a sign of life. It is renewed while the method runs, however long
     * that takes.
     *
     * @return a duration; if empty, the property {@code holdfast.defaults.lease-time} (30 seconds)
     */
    String lease() default "";

    /**
     * Chooses what happens when somebody else holds the lock for all of the wait.
     *
     * @return what to do
     */
    OnContended onContended() default OnContended.DEFAULT;

    /**
     * Keeps the lock for some time although the method has returned, so that an instance whose clock is late does not run
     * a scheduled method again. A client that is closed gives its locks back earlier.
     *
     * @return a duration from the grant on; if empty, none
     */
    String holdAtLeast() default "";

    /**
     * Limits the time for which the lock is held, even if the method still runs. The lock is then lost: the caller is told
     * so when the method returns.
     *
     * @return a duration from the grant on; if empty, the property {@code holdfast.defaults.max-hold} (none)
     */
    String holdAtMost() default "";

    /** Holds repeated annotations; the compiler writes it. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @interface Several {
        /**
         * The repeated annotations.
         *
         * @return all of them
         */
        Locked[] value();
    }
}
