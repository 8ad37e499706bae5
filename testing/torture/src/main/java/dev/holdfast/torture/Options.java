package dev.holdfast.torture;

import dev.holdfast.torture.peers.Maker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run is told.
 *
 * @param rigs which servers
 * @param url a store that is there already; empty to use rigs
 * @param seed where chance comes from
 * @param storm how long faults happen, on each rig
 * @param gap the mean time between two faults
 * @param workers how many processes
 * @param threads in each of them
 * @param lease of every lock
 * @param timeout of every command
 * @param out where histories and pages go
 * @param mutant a seeded bug; empty for none
 * @param maker whose locks; empty for ours, in all their kinds
 * @param faults the numbers of those faults of the schedule that happen; null for all
 * @param beside the class path of an older edition, which every other worker uses; empty for none
 */
public record Options(
        List<String> rigs,
        String url,
        long seed,
        Duration storm,
        Duration gap,
        int workers,
        int threads,
        Duration lease,
        Duration timeout,
        Path out,
        String mutant,
        String maker,
        @Nullable List<Integer> faults,
        String beside) {

    /** {@return whether workers use instances of the server} */
    boolean isOverHttp() {
        return maker.equals(Maker.HTTP.word());
    }

    /** {@return whether the locks are this library's, and judged by what it promises} */
    boolean isOurs() {
        return maker.isEmpty() || Maker.named(maker).isJudged();
    }

    /** {@return whether an older edition of this library shares the store} */
    boolean isBeside() {
        return !beside.isEmpty();
    }

    /** {@return what is used if nothing is said} */
    public static Options defaults() {
        return new Options(
                List.of("redis"),
                "",
                1,
                Duration.ofSeconds(20),
                Duration.ofMillis(700),
                3,
                4,
                Duration.ofMillis(1500),
                Duration.ofMillis(800),
                Path.of(System.getProperty("holdfast.torture.out", "target/torture")),
                "",
                "",
                null,
                System.getProperty("holdfast.torture.beside", ""));
    }

    /**
     * Chooses rigs.
     *
     * @param names their names
     * @return the changed copy
     */
    public Options withRigs(List<String> names) {
        return new Options(
                names, url, seed, storm, gap, workers, threads, lease, timeout, out, mutant, maker, faults, beside);
    }

    /**
     * Chooses a store that is there already.
     *
     * @param given its URL
     * @return the changed copy
     */
    public Options withUrl(String given) {
        return new Options(
                rigs, given, seed, storm, gap, workers, threads, lease, timeout, out, mutant, maker, faults, beside);
    }

    /**
     * Chooses a seed.
     *
     * @param number the seed
     * @return the changed copy
     */
    public Options withSeed(long number) {
        return new Options(
                rigs, url, number, storm, gap, workers, threads, lease, timeout, out, mutant, maker, faults, beside);
    }

    /**
     * Chooses the length of the storm.
     *
     * @param time how long faults happen on each rig
     * @param between the mean time between two faults
     * @return the changed copy
     */
    public Options withStorm(Duration time, Duration between) {
        return new Options(
                rigs, url, seed, time, between, workers, threads, lease, timeout, out, mutant, maker, faults, beside);
    }

    /**
     * Chooses the number of workers.
     *
     * @param processes how many
     * @param each threads in each
     * @return the changed copy
     */
    public Options withWorkers(int processes, int each) {
        return new Options(
                rigs, url, seed, storm, gap, processes, each, lease, timeout, out, mutant, maker, faults, beside);
    }

    /**
     * Chooses the lease.
     *
     * @param time of every lock
     * @return the changed copy
     */
    public Options withLease(Duration time) {
        return new Options(
                rigs, url, seed, storm, gap, workers, threads, time, timeout, out, mutant, maker, faults, beside);
    }

    /**
     * Chooses where files go.
     *
     * @param directory for histories and pages
     * @return the changed copy
     */
    public Options withOut(Path directory) {
        return new Options(
                rigs, url, seed, storm, gap, workers, threads, lease, timeout, directory, mutant, maker, faults,
                beside);
    }

    /**
     * Chooses a seeded bug.
     *
     * @param word its name
     * @return the changed copy
     */
    public Options withMutant(String word) {
        return new Options(
                rigs, url, seed, storm, gap, workers, threads, lease, timeout, out, word, maker, faults, beside);
    }

    /**
     * Chooses whose locks.
     *
     * @param word as {@link dev.holdfast.torture.peers.Maker#word}
     * @return the changed copy
     */
    public Options withMaker(String word) {
        return new Options(
                rigs, url, seed, storm, gap, workers, threads, lease, timeout, out, mutant, word, faults, beside);
    }

    /**
     * Chooses faults.
     *
     * @param numbers those of the schedule that happen; null for all
     * @return the changed copy
     */
    public Options withFaults(@Nullable List<Integer> numbers) {
        return new Options(
                rigs, url, seed, storm, gap, workers, threads, lease, timeout, out, mutant, maker, numbers, beside);
    }
}
