package dev.holdfast.bench.ruler;

import java.io.File;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What this process was started with. */
final class ClassPath {
    private static final Optional<String> BEFORE = Optional.ofNullable(System.getProperty("holdfast.bench.before"));

    private ClassPath() {}

    /** The class path of another version of the benchmark, if this one is compared with it. */
    static Optional<String> before() {
        return BEFORE;
    }

    /** The version in the name of a jar, so that the report names what was measured and not what was planned. */
    static String versionOf(String artifact) {
        Pattern jar = Pattern.compile(Pattern.quote(artifact) + "-(\\d.*)\\.jar");
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> jar.matcher(new File(entry).getName()))
                .filter(Matcher::matches)
                .map(match -> match.group(1))
                .findFirst()
                .orElse("unknown version");
    }
}
