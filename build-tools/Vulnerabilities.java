import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prints what osv.dev answered to a batch of libraries.
 *
 * <p>Usage: {@code java Vulnerabilities.java PURLS ANSWER}: the libraries that were asked about, one in a line, and the answer,
 * which has one result for each, in the same order. The exit status is 1 if a library has a vulnerability, and 70 if the answer
 * cannot be read.
 */
final class Vulnerabilities {
    private static final Pattern ID = Pattern.compile("\"id\"\\s*:\\s*\"([^\"]+)\"");

    public static void main(String[] arguments) throws IOException {
        List<String> libraries = Files.readAllLines(Path.of(arguments[0]));
        List<String> results = results(Files.readString(Path.of(arguments[1])));
        if (results.size() != libraries.size()) {
            System.err.printf("The answer has %d results for %d libraries.%n", results.size(), libraries.size());
            System.exit(70);
        }
        int affected = 0;
        for (int i = 0; i < results.size(); i++) {
            Set<String> ids = new LinkedHashSet<>();
            for (Matcher id = ID.matcher(results.get(i)); id.find(); ) {
                ids.add(id.group(1));
            }
            if (!ids.isEmpty()) {
                affected++;
                System.out.println(libraries.get(i) + " " + String.join(" ", ids));
            }
        }
        System.out.printf("%d of %d libraries have known vulnerabilities.%n", affected, results.size());
        System.exit(affected == 0 ? 0 : 1);
    }

    /** The objects in the array "results", each as text. Strings in it are identifiers and times, so they contain no braces. */
    private static List<String> results(String answer) {
        List<String> results = new ArrayList<>();
        int begin = answer.indexOf('[', Math.max(0, answer.indexOf("\"results\"")));
        int depth = 0;
        int start = 0;
        for (int i = begin + 1; begin >= 0 && i < answer.length(); i++) {
            char next = answer.charAt(i);
            if (next == '{' && depth++ == 0) {
                start = i;
            } else if (next == '}' && --depth == 0) {
                results.add(answer.substring(start, i + 1));
            } else if (next == ']' && depth == 0) {
                break;
            }
        }
        return results;
    }
}
