package dev.holdfast.spi;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a store as messages and logs may show it. Whoever mistypes a URL may have put a password anywhere in it, so
 * this shows only what it understands: the scheme, and hosts and a path that look like such. Everything else is left out.
 */
final class ShownAddress {
    private static final String LEFT_OUT = "…";
    private static final String SCHEMES = "(?:jdbc:[a-zA-Z0-9+.-]+|[a-zA-Z][a-zA-Z0-9+.-]*):";
    private static final String HOST = "(?:[a-zA-Z0-9_.-]+|\\[[0-9a-fA-F:.%]+])(?::[0-9]{1,5})?";

    /** Scheme, hosts, path; a user and a password may stand between the first two. */
    private static final Pattern HIERARCHICAL = Pattern.compile(
            "(" + SCHEMES + "(?:[a-z]+:)?//)(?:([^@]*)@)?(" + HOST + "(?:," + HOST + ")*)(/[^@?;]*)?([?;][^@]*)?",
            Pattern.DOTALL);

    /** What has no place for a password before its parameters. */
    private static final Pattern LOCAL =
            Pattern.compile("((?:file|memory|jdbc:h2):[^@?;]*)([?;][^@]*)?", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern SCHEME = Pattern.compile(SCHEMES);

    private ShownAddress() {}

    /**
     * Tells what may be shown.
     *
     * @param address everything before the options
     * @param optionsMayBePassword whether what follows it may be the end of a password that contains {@code #}
     */
    static String of(String address, boolean optionsMayBePassword) {
        Matcher hierarchical = HIERARCHICAL.matcher(address);
        if (!optionsMayBePassword && hierarchical.matches()) {
            String user = hierarchical.group(2) == null ? "" : "***@";
            String path = hierarchical.group(4) == null ? "" : hierarchical.group(4);
            return hierarchical.group(1)
                    + user
                    + hierarchical.group(3)
                    + path
                    + (hierarchical.group(5) == null
                            ? ""
                            : hierarchical.group(5).charAt(0) + LEFT_OUT);
        }
        Matcher local = LOCAL.matcher(address);
        if (!optionsMayBePassword && local.matches() && !local.group(1).contains("//")) {
            return local.group(1)
                    + (local.group(2) == null ? "" : local.group(2).charAt(0) + LEFT_OUT);
        }
        Matcher scheme = SCHEME.matcher(address);
        return scheme.lookingAt() ? scheme.group() + LEFT_OUT : LEFT_OUT;
    }
}
