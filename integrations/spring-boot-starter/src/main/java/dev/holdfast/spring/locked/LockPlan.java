package dev.holdfast.spring.locked;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.spring.LockMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * What one {@link dev.holdfast.spring.Locked} asks for, with everything resolved that does not depend on a call.
 *
 * @param names the templates
 * @param mode exclusive, read or write
 * @param capacity of a semaphore, or 0
 * @param permits of a semaphore
 * @param patience how long to wait at most
 * @param options lease time, limit and label; null for the client's own with this label
 * @param skip whether a call is skipped if the lock is taken
 * @param holdAtLeast how long to keep the lock from its grant on; zero for not
 */
record LockPlan(
        List<NameTemplate> names,
        LockMode mode,
        int capacity,
        int permits,
        Duration patience,
        LockOptions options,
        boolean skip,
        Duration holdAtLeast) {

    /** Identifies what is locked; a thread that has it does not ask again. */
    record Key(List<String> names, LockMode mode) {}

    /** One call's need. */
    record Need(LockPlan plan, Key key, DistributedLock lock) {
        /** {@return the names, as messages show them} */
        String name() {
            return String.join(",", key.names());
        }
    }

    Need need(Holdfast locks, Map<String, @Nullable Object> arguments, StandardEvaluationContext context) {
        LinkedHashSet<String> distinct = new LinkedHashSet<>();
        for (NameTemplate template : names) {
            distinct.add(template.render(arguments, context));
        }
        List<String> all = new ArrayList<>(distinct);
        return new Need(this, new Key(all, mode), lock(locks, all));
    }

    boolean isReentrant() {
        return capacity == 0;
    }

    private DistributedLock lock(Holdfast locks, List<String> all) {
        if (all.size() > 1) {
            return locks.all(all, options);
        }
        String name = all.get(0);
        if (capacity > 0) {
            return locks.semaphore(name, capacity, options).permits(permits);
        }
        return switch (mode) {
            case EXCLUSIVE -> locks.lock(name, options);
            case READ -> locks.readWriteLock(name, options).readLock();
            case WRITE -> locks.readWriteLock(name, options).writeLock();
        };
    }
}
