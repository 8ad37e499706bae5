package dev.holdfast.cli.doctor;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compares versions by their numbers. */
final class Versions {
    private static final Pattern NUMBERS = Pattern.compile("\\d+(?:\\.\\d+)*");

    private Versions() {}

    /** {@return whether a version is certainly older than another one; not if it has no numbers} */
    static boolean isOlder(String version, String than) {
        Matcher found = NUMBERS.matcher(version);
        return found.find() && Arrays.compare(parts(found.group()), parts(than)) < 0;
    }

    private static int[] parts(String numbers) {
        return Arrays.stream(numbers.split("\\.", -1))
                .mapToInt(each -> each.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(each))
                .toArray();
    }
}
