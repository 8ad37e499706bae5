package dev.holdfast.simulation;

import dev.holdfast.LockOptions;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What kind of history a seed gives: how many clients want which locks in which way, how bad the network is and what
 * breaks. Drawn from a few characters, so that rare situations are frequent enough.
 */
final class Profile {
    static final long MICRO = 1_000;
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000_000_000;

    /** The longest pause of the engine between two attempts at the same thing. */
    private static final long LONGEST_BACKOFF_NANOS = 2_600 * MILLI;

    private static final long SLACK_NANOS = 100 * MILLI;

    /** What a history is mainly about. */
    enum Character {
        CALM,
        HOT,
        STICKY,
        SHARED,
        SEVERAL,
        PAUSES,
        LOSSY,
        RESTARTS,
        CHAOS
    }

    private static final Character[] CHARACTERS = Character.values();

    /** What the store can do. */
    enum StoreKind {
        PUSHING,
        /** It has lines, but tells nobody anything unasked. */
        POLLED,
        /** Whoever asks first when the lock is free gets it, and nobody knows who waits. */
        WITHOUT_LINES
    }

    final Character character;
    StoreKind storeKind = StoreKind.PUSHING;
    final List<Spot> spots = new ArrayList<>();
    final int clients;
    final int actorsPerClient;
    final int turns;

    LockOptions options;
    long longestHoldNanos;
    long longestThinkNanos = 20 * MILLI;
    long longestWaitNanos = 2 * SECOND;
    double cancels = 0.1;
    double timed = 0.25;
    double once = 0.15;
    double inline = 0.1;
    double reentrant = 0.05;

    /** How long things go wrong, at most. */
    long stormNanos;

    long commandTimeoutNanos;
    long callbackDelayNanos;
    long fastestNanos = 100 * MICRO;
    long fastNanos = 5 * MILLI;
    long slowestNanos = 4 * SECOND;
    double requestLoss;
    double replyLoss;
    double pushLoss;
    double pushTwice;
    double slow;
    int pauses;
    long longestPauseNanos;
    int crashes;
    int cuts;
    int restarts;
    int amnesias;
    int evictions;
    int closes;

    /** How many clients close in the middle of their work although everything is well again. */
    int calmCloses;

    private Profile(Character character, SplittableRandom random) {
        this.character = character;
        clients = 2 + random.nextInt(character == Character.HOT ? 2 : 3);
        actorsPerClient = character == Character.HOT ? 2 + random.nextInt(3) : 1 + random.nextInt(3);
        turns = 5 + random.nextInt(character == Character.HOT ? 36 : 26);
        long lease = between(random, 200 * MILLI, 10 * SECOND);
        options = LockOptions.defaults()
                .withLeaseTime(Duration.ofNanos(lease))
                .withTurn(Duration.ofNanos(between(random, MILLI, SECOND)));
        longestHoldNanos = between(random, MILLI, 2 * lease);
        stormNanos = between(random, 500 * MILLI, 12 * SECOND);
        commandTimeoutNanos = between(random, 500 * MILLI, 2 * SECOND);
        calmCloses = random.nextInt(4) == 0 ? 1 : 0;
        callbackDelayNanos = random.nextInt(3) == 0 ? between(random, MICRO, 3 * MILLI) : 0;
    }

    static Profile of(SplittableRandom random) {
        Profile profile = new Profile(CHARACTERS[random.nextInt(CHARACTERS.length)], random);
        profile.chooseSpots(random);
        profile.chooseCharacter(random);
        if (random.nextInt(2) == 0) {
            profile.options = profile.options.withAutomaticTurn();
        }
        if (random.nextInt(8) == 0) {
            profile.options = profile.options.withMaxHold(Duration.ofNanos(between(random, 20 * MILLI, 3 * SECOND)));
        }
        if (random.nextInt(4) == 0) {
            profile.storeKind = random.nextBoolean() ? StoreKind.POLLED : StoreKind.WITHOUT_LINES;
        }
        return profile;
    }

    /** What the store promises. */
    StoreTraits traits() {
        StoreTraits all = ServerView.TRAITS;
        Set<Promise> promises = EnumSet.copyOf(all.promises());
        if (storeKind != StoreKind.PUSHING) {
            promises.remove(Promise.PUSHES);
        }
        if (storeKind == StoreKind.WITHOUT_LINES) {
            promises.remove(Promise.FAIR);
            promises.remove(Promise.SEES_WAITERS);
        }
        return new StoreTraits(all.expiry(), promises, all.shortestLease(), all.longestLease(), all.failover());
    }

    private void chooseSpots(SplittableRandom random) {
        int names = 1 + random.nextInt(2);
        switch (character) {
            case HOT, STICKY -> spots.add(Spot.exclusive("a"));
            case SHARED -> addShared(random);
            case SEVERAL -> {
                spots.add(Spot.exclusive("a"));
                spots.add(Spot.all("a", "b"));
                spots.add(random.nextBoolean() ? Spot.all("b", "c") : Spot.exclusive("b"));
                spots.add(Spot.all("a", "c"));
            }
            default -> {
                spots.add(Spot.exclusive("a"));
                if (names > 1) {
                    spots.add(random.nextBoolean() ? Spot.all("a", "b") : Spot.exclusive("b"));
                }
                if (random.nextInt(3) == 0) {
                    addShared(random);
                }
            }
        }
    }

    private void addShared(SplittableRandom random) {
        if (random.nextBoolean()) {
            spots.add(Spot.read("rw"));
            spots.add(Spot.write("rw"));
            if (random.nextBoolean()) {
                spots.add(Spot.read("rw"));
            }
        } else {
            int capacity = 2 + random.nextInt(2);
            spots.add(Spot.permits("sem", 1, capacity));
            spots.add(Spot.permits("sem", 1 + random.nextInt(capacity), capacity));
        }
    }

    private void chooseCharacter(SplittableRandom random) {
        switch (character) {
            case CALM -> {}
            case HOT -> {
                options = options.withTurn(Duration.ofNanos(between(random, 2 * MILLI, 60 * MILLI)));
                longestHoldNanos = between(random, 500 * MICRO, 20 * MILLI);
                longestThinkNanos = between(random, 100 * MICRO, 5 * MILLI);
                cancels = 0.15;
                pauses = random.nextInt(3);
                longestPauseNanos = 3 * SECOND;
            }
            case STICKY -> {
                options = options.withStickyFor(Duration.ofNanos(between(random, 10 * MILLI, 5 * SECOND)));
                longestHoldNanos = between(random, MILLI, 100 * MILLI);
                longestThinkNanos = between(random, MILLI, SECOND);
                pauses = random.nextInt(2);
                longestPauseNanos = 5 * SECOND;
                evictions = random.nextInt(2);
            }
            case SHARED, SEVERAL -> {
                pauses = random.nextInt(3);
                longestPauseNanos = 8 * SECOND;
                crashes = random.nextInt(4) == 0 ? 1 : 0;
                makeLossy(random, 0.05);
            }
            case PAUSES -> {
                pauses = 1 + random.nextInt(6);
                longestPauseNanos = 15 * SECOND;
                crashes = random.nextInt(3) == 0 ? 1 : 0;
                reentrant = 0.25;
                evictions = random.nextInt(2);
            }
            case LOSSY -> {
                makeLossy(random, 0.25);
                reentrant = 0.1;
                cuts = random.nextInt(3);
                evictions = random.nextInt(2);
                closes = random.nextInt(4) == 0 ? 1 : 0;
            }
            case RESTARTS -> {
                restarts = 1 + random.nextInt(3);
                amnesias = random.nextInt(3);
                makeLossy(random, 0.05);
            }
            case CHAOS -> makeChaos(random);
        }
    }

    private void makeLossy(SplittableRandom random, double most) {
        requestLoss = random.nextDouble() * most;
        replyLoss = random.nextDouble() * most;
        pushLoss = random.nextDouble() * 2 * most;
        pushTwice = random.nextDouble() * most;
        slow = random.nextDouble() * most;
        if (random.nextInt(3) == 0) {
            // Leases that are shorter than a slow answer.
            options = options.withLeaseTime(Duration.ofNanos(between(random, 200 * MILLI, 600 * MILLI)));
            commandTimeoutNanos = between(random, SECOND, 2 * SECOND);
            slow *= 2;
        }
    }

    private void makeChaos(SplittableRandom random) {
        makeLossy(random, 0.3);
        reentrant = 0.1;
        pauses = random.nextInt(4);
        longestPauseNanos = 10 * SECOND;
        crashes = random.nextInt(2);
        cuts = random.nextInt(3);
        restarts = random.nextInt(2);
        amnesias = random.nextInt(2);
        evictions = random.nextInt(3);
        closes = random.nextInt(3) == 0 ? 1 : 0;
        if (random.nextBoolean()) {
            options = options.withStickyFor(Duration.ofNanos(between(random, 10 * MILLI, 3 * SECOND)));
        }
    }

    /** Whether nothing at all goes wrong. */
    boolean isFaultless() {
        return character == Character.CALM;
    }

    /** How long failures may show after the storm: a call that ends by its timeout, and the pause before the next. */
    long graceNanos() {
        return isFaultless() ? SLACK_NANOS : commandTimeoutNanos + LONGEST_BACKOFF_NANOS + SLACK_NANOS;
    }

    long fastDelay(SplittableRandom random) {
        return between(random, fastestNanos, fastNanos);
    }

    long slowDelay(SplittableRandom random) {
        return between(random, fastNanos, slowestNanos);
    }

    /** A span from a range, short ones as likely as long ones. */
    static long between(SplittableRandom random, long least, long most) {
        return (long) (least * Math.exp(random.nextDouble() * Math.log((double) most / least)));
    }

    @Override
    public String toString() {
        return character + "/" + storeKind + ": " + clients + " clients, " + actorsPerClient + " actors each, " + turns
                + " turns, spots "
                + spots + ", " + options + ", storm " + Words.millis(stormNanos) + ", timeout "
                + Words.millis(commandTimeoutNanos) + ", " + pauses + " pauses, " + crashes + " crashes, " + cuts
                + " cuts, " + restarts + " restarts, " + amnesias + " amnesias, " + evictions + " evictions, " + closes
                + " closes";
    }
}
