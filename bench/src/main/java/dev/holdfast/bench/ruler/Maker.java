package dev.holdfast.bench.ruler;

import dev.holdfast.LockOptions;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;

/** Whose locks are measured. Each is set up as its documentation says, with its own defaults. */
enum Maker {
    HOLDFAST("Holdfast"),
    HOLDFAST_STICKY("Holdfast, sticky"),
    REDISSON("Redisson RLock"),
    REDISSON_FAIR("Redisson fair lock"),
    SPRING("Spring RedisLockRegistry"),
    JEDIS("bare Jedis");

    private static final Duration STICKY = Duration.ofSeconds(10);

    private final String title;

    Maker(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** The name in JSON, on command lines, and in the names of locks. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Maker of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    Locks open(String url) {
        return switch (this) {
            case HOLDFAST -> new HoldfastLocks(url, LockOptions.defaults());
            case HOLDFAST_STICKY ->
                new HoldfastLocks(url, LockOptions.defaults().withStickyFor(STICKY));
            case REDISSON -> new RedissonLocks(url, false);
            case REDISSON_FAIR -> new RedissonLocks(url, true);
            case SPRING -> new SpringLocks(URI.create(url));
            case JEDIS -> new JedisLocks(URI.create(url));
        };
    }
}
