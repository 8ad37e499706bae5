package dev.holdfast.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The messages of Holdfast's own exceptions, as the sources of the published modules have them: sentences among the arguments where such
 * an exception is made. What is filled in is {@code …}.
 *
 * <p>The command line and the server are programs. People read what these refuse in a terminal or in an answer, not in a stack trace. So
 * there the messages of every {@code IllegalArgumentException} and of every {@code Problem} count too, also where a method makes it of
 * a text that it is given.
 */
final class ThrownMessages {
    private static final List<String> LIBRARIES = List.of("core", "stores", "integrations");
    private static final List<String> PROGRAMS = List.of("cli", "server");
    private static final Pattern OWN =
            Pattern.compile("public (?:final |sealed |non-sealed )?class (\\w+Exception)\\b");
    private static final Pattern OWN_OF_PROGRAMS = Pattern.compile("\\bclass (\\w+Exception)\\b");
    private static final Pattern MAKER =
            Pattern.compile("\\b(?:Problem|\\w+Exception) (\\w+)\\([^)]*\\bString \\w+\\) \\{");
    private static final Pattern MADE =
            Pattern.compile("\\b(?:new (\\w+Exception|Problem)|(super)|(?<!new )(\\w+))\\(");

    /** Names of operations are arguments too; what people read has at least four words. */
    private static final Pattern SENTENCE = Pattern.compile("(?s).*\\S\\s+\\S+\\s+\\S+\\s+\\S.*");

    private ThrownMessages() {}

    /** {@return the messages, by the module that they are from} */
    static Map<String, Set<String>> byModule() throws IOException {
        Map<String, Set<String>> found = new TreeMap<>();
        Set<String> own = named(OWN, LIBRARIES);
        collect(found, LIBRARIES, own);
        for (String program : PROGRAMS) {
            Set<String> ownToo = new HashSet<>(own);
            ownToo.addAll(named(OWN_OF_PROGRAMS, PROGRAMS));
            ownToo.addAll(named(MAKER, List.of(program)));
            ownToo.addAll(Set.of("IllegalArgumentException", "Problem"));
            collect(found, List.of(program), ownToo);
        }
        return found;
    }

    private static List<Path> sources(List<String> modules) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : modules) {
            sources.addAll(Pages.files(
                    module,
                    file -> file.toString().contains("/src/main/")
                            && file.toString().endsWith(".java")));
        }
        return sources;
    }

    private static Set<String> named(Pattern pattern, List<String> modules) throws IOException {
        Set<String> names = new HashSet<>();
        for (Path source : sources(modules)) {
            Matcher declared = pattern.matcher(Files.readString(source));
            while (declared.find()) {
                names.add(declared.group(1));
            }
        }
        return names;
    }

    private static void collect(Map<String, Set<String>> found, List<String> modules, Set<String> own)
            throws IOException {
        for (Path source : sources(modules)) {
            String name = source.getFileName().toString().replace(".java", "");
            Set<String> messages = in(Files.readString(source), own, own.contains(name));
            if (!messages.isEmpty()) {
                String path = Pages.ROOT.relativize(source).toString();
                found.computeIfAbsent(path.substring(0, path.indexOf("/src/main/")), module -> new TreeSet<>())
                        .addAll(messages);
            }
        }
    }

    /**
     * Finds the messages in a source.
     *
     * @param own the exceptions that count, and the methods that make them
     * @param constructors whether what is passed to {@code super} counts
     */
    static Set<String> in(String source, Set<String> own, boolean constructors) {
        Set<String> messages = new TreeSet<>();
        Matcher made = MADE.matcher(source);
        while (made.find()) {
            String name = made.group(1) != null ? made.group(1) : made.group(3);
            if (name == null ? constructors : own.contains(name)) {
                for (String argument : arguments(source, made.end())) {
                    if (SENTENCE.matcher(argument.replace("…", "")).matches()) {
                        messages.add(argument);
                    }
                }
            }
        }
        return messages;
    }

    /** The arguments of a call, each as what is fixed in it; {@code from} is behind the opening bracket. */
    private static List<String> arguments(String source, int from) {
        List<String> arguments = new ArrayList<>();
        StringBuilder argument = new StringBuilder();
        int depth = 0;
        for (int i = from; i < source.length(); i++) {
            char next = source.charAt(i);
            if (next == '"') {
                int end = endOfLiteral(source, i);
                if (depth == 0) {
                    argument.append(literal(source, i, end));
                }
                i = end;
            } else if (next == '\'') {
                // A character: a quote, a bracket or a comma as a char is no syntax.
                i = source.indexOf('\'', source.charAt(i + 1) == '\\' ? i + 3 : i + 2);
                gap(argument, depth);
            } else if (source.startsWith("formatted(", i)) {
                i += "formatted(".length() - 1;
                depth++;
            } else if (next == '(' || next == '{' || next == '[') {
                gap(argument, depth);
                depth++;
            } else if (next == ')' && depth == 0) {
                arguments.add(argument.toString());
                return arguments;
            } else if (next == ')' || next == '}' || next == ']') {
                depth--;
            } else if (next == '?' && depth == 0) {
                // What is said depends on a condition: both are messages.
                argument.setLength(0);
            } else if ((next == ',' || next == ':') && depth == 0) {
                arguments.add(argument.toString());
                argument.setLength(0);
            } else if (depth == 0 && Character.isJavaIdentifierPart(next)) {
                gap(argument, depth);
            }
        }
        return arguments;
    }

    private static void gap(StringBuilder argument, int depth) {
        if (depth == 0 && (argument.isEmpty() || argument.charAt(argument.length() - 1) != '…')) {
            argument.append('…');
        }
    }

    private static int endOfLiteral(String source, int from) {
        if (source.startsWith("\"\"\"", from)) {
            return source.indexOf("\"\"\"", from + 3) + 2;
        }
        int i = from + 1;
        while (source.charAt(i) != '"') {
            i += source.charAt(i) == '\\' ? 2 : 1;
        }
        return i;
    }

    private static String literal(String source, int from, int end) {
        boolean block = source.startsWith("\"\"\"", from);
        return source.substring(from + (block ? 3 : 1), end - (block ? 2 : 0))
                .translateEscapes()
                .replaceAll("%[sd]", "…")
                .replaceAll("\\s+", " ");
    }
}
