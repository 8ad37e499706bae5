package dev.holdfast.spring.autoconfigure;

import dev.holdfast.spring.HoldfastStartupException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads {@code holdfast.options.*} for stores that are made from a bean, as the stores read them from a URL. */
final class Options {
    private Options() {}

    static void none(Map<String, String> options, String store) {
        only(options, store, Set.of());
    }

    static void only(Map<String, String> options, String store, Set<String> known) {
        for (String option : options.keySet()) {
            if (!known.contains(option)) {
                throw new HoldfastStartupException(
                        "'holdfast.options." + option + "' is set, but " + store + " has no such option",
                        known.isEmpty() ? "remove it" : "use one of " + new TreeSet<>(known) + ", or remove it");
            }
        }
    }

    static <E extends Enum<E>> E choice(String option, String given, Class<E> type) {
        for (E value : type.getEnumConstants()) {
            if (value.name().equalsIgnoreCase(given)) {
                return value;
            }
        }
        throw new HoldfastStartupException(
                "'holdfast.options." + option + "' was '" + given + "'",
                "use one of " + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT));
    }

    static int number(String option, String given) {
        try {
            return Integer.parseInt(given);
        } catch (NumberFormatException wrong) {
            throw new HoldfastStartupException("'holdfast.options." + option + "' was '" + given + "'", "use a number");
        }
    }
}
