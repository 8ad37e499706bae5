package dev.holdfast.tck.broken;

import java.util.Locale;

/** What is wrong with a broken store. */
public enum Defect {
    /** Nothing: the control. */
    NONE,
    /** Releases whatever is held, whoever asks. */
    RELEASES_FOR_ANYBODY,
    /** Matches the owner but not the epoch. */
    IGNORES_EPOCHS,
    /** Gives the same epoch to several grants. */
    REPEATS_EPOCHS,
    /** Grants a taken name to a second holder. */
    GRANTS_TWO_HOLDERS,
    /** Forgets which requests must not take effect any more. */
    FORGETS_TOMBSTONES,
    /** Answers a repeated claim with a whole lease. */
    PROMISES_A_WHOLE_LEASE;

    /** {@return where a store with this defect is} */
    public String url() {
        return "tckbroken:" + name().toLowerCase(Locale.ROOT);
    }

    static Defect of(String path) {
        return valueOf(path.toUpperCase(Locale.ROOT));
    }
}
