package dev.holdfast.torture.worker;

import java.time.Duration;
import java.util.List;

/**
 * What a worker is told on its command line.
 *
 * @param process a name that no other process ever has
 * @param refereePort where the referee listens
 * @param url of the store
 * @param seed of the whole run
 * @param threads how many ask for locks
 * @param lease of every lock
 * @param timeout of every command
 * @param prefix of every name
 * @param mutant the seeded bug; empty for none
 * @param maker whose locks; empty for ours
 */
public record WorkerSettings(
        String process,
        int refereePort,
        String url,
        long seed,
        int threads,
        Duration lease,
        Duration timeout,
        String prefix,
        String mutant,
        String maker) {

    /** {@return the words for a command line} */
    public List<String> words() {
        return List.of(
                process,
                Integer.toString(refereePort),
                url,
                Long.toString(seed),
                Integer.toString(threads),
                Long.toString(lease.toMillis()),
                Long.toString(timeout.toMillis()),
                prefix,
                mutant,
                maker);
    }

    /**
     * Reads what {@link #words} gave.
     *
     * @param words of a command line
     * @return the settings
     */
    public static WorkerSettings parse(String[] words) {
        return new WorkerSettings(
                words[0],
                Integer.parseInt(words[1]),
                words[2],
                Long.parseLong(words[3]),
                Integer.parseInt(words[4]),
                Duration.ofMillis(Long.parseLong(words[5])),
                Duration.ofMillis(Long.parseLong(words[6])),
                words[7],
                words[8],
                words[9]);
    }
}
