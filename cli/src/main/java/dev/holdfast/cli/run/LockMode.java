package dev.holdfast.cli.run;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.cli.console.Printable;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Beside whom a lock may be held. All users of a name must agree on its kind: a plain lock, one that can be shared, or so
 * many permits.
 *
 * @param kind the kind
 * @param permits how many permits are wanted
 * @param capacity how many there are
 */
record LockMode(Kind kind, int permits, int capacity) {
    /** Held alone; the only one for several names. */
    static final LockMode PLAIN = new LockMode(Kind.PLAIN, 1, 1);

    /** Held beside others that share it. */
    static final LockMode SHARED = new LockMode(Kind.SHARED, 1, 1);

    /** Held alone, where others may share. */
    static final LockMode EXCLUSIVE = new LockMode(Kind.EXCLUSIVE, 1, 1);

    private static final Pattern PERMITS = Pattern.compile("(\\d{1,6})/(\\d{1,6})");

    /** What a lock can be. */
    enum Kind {
        PLAIN,
        SHARED,
        EXCLUSIVE,
        PERMITS
    }

    /**
     * Reads {@code N/M}: N permits of M.
     *
     * @throws IllegalArgumentException that shows the form
     */
    static LockMode permits(String text) {
        Matcher parts = PERMITS.matcher(text);
        if (parts.matches()) {
            int wanted = Integer.parseInt(parts.group(1));
            int all = Integer.parseInt(parts.group(2));
            if (wanted >= 1 && wanted <= all) {
                return new LockMode(Kind.PERMITS, wanted, all);
            }
        }
        throw new IllegalArgumentException(
                "--permits takes N/M, such as 1/4: N permits of M for each; but was '" + Printable.of(text) + "'");
    }

    /** Refuses several names where only one is possible. */
    void check(String names) {
        if (kind != Kind.PLAIN && names.indexOf(',') >= 0) {
            throw new IllegalArgumentException("--shared, --exclusive and --permits take one name, not several");
        }
    }

    /** {@return whether commands of several holders may run at the same time} */
    boolean isShared() {
        return kind == Kind.SHARED || kind == Kind.PERMITS;
    }

    DistributedLock lock(Holdfast client, List<String> names, LockOptions options) {
        String first = names.get(0);
        return switch (kind) {
            case PLAIN -> client.all(names, options);
            case SHARED -> client.readWriteLock(first, options).readLock();
            case EXCLUSIVE -> client.readWriteLock(first, options).writeLock();
            case PERMITS -> client.semaphore(first, capacity, options).permits(permits);
        };
    }
}
