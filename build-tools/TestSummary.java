import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Counts the tests in Surefire's XML reports, for {@code ./check}. Prints {@code PASSED FAILED SKIPPED} on the first
 * line, then a line for every test that failed, with the reason, and a line for every reason why tests were skipped.
 * Writes a line for every skipped test into a file.
 *
 * <p>Usage: {@code java TestSummary.java FILE-FOR-SKIPPED REPORT-DIRECTORY...}
 */
public final class TestSummary {
    private static final int MAX_REASON_LENGTH = 160;

    private static final Pattern NOT_PROMISED = Pattern.compile("(\\S+) (does not promise|promises|has no) ?:? (.*)");

    private final List<String> failures = new ArrayList<>();

    /** The skipped tests by reason; what a store does not promise is one reason, whichever store it is. */
    private final Map<String, List<String>> skips = new LinkedHashMap<>();

    /** The stores that a reason was given for. */
    private final Map<String, Set<String>> stores = new HashMap<>();

    private int passed;
    private int failed;
    private int skipped;

    private TestSummary() {}

    public static void main(String[] args) throws Exception {
        TestSummary summary = new TestSummary();
        for (String directory : args) {
            if (!directory.equals(args[0])) {
                summary.addAll(Path.of(directory));
            }
        }
        System.out.println(summary.passed + " " + summary.failed + " " + summary.skipped);
        summary.failures.forEach(System.out::println);
        summary.printSkips();
        Files.write(
                Path.of(args[0]),
                summary.skips.values().stream().flatMap(List::stream).toList());
    }

    private void printSkips() {
        skips.forEach((reason, tests) -> {
            Set<String> of = stores.getOrDefault(reason, Set.of());
            String first =
                    tests.get(0).substring("skipped ".length(), tests.get(0).indexOf(": "));
            System.out.println("skipped " + tests.size() + ": " + reason
                    + (of.isEmpty() ? "" : ": " + String.join(", ", of))
                    + (tests.size() == 1 ? " (" + first + ")" : ""));
        });
    }

    private void addAll(Path directory) throws Exception {
        if (!Files.isDirectory(directory)) {
            return;
        }
        DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path report : files.filter(TestSummary::isReport).sorted().toList()) {
                NodeList cases = parser.parse(report.toFile()).getElementsByTagName("testcase");
                for (int i = 0; i < cases.getLength(); i++) {
                    add((Element) cases.item(i));
                }
            }
        }
    }

    private static boolean isReport(Path path) {
        return path.getFileName().toString().matches("TEST-.*\\.xml");
    }

    private void add(Element test) {
        if (test.getElementsByTagName("skipped").getLength() > 0) {
            skipped++;
            addSkipped(test);
        } else if (test.getElementsByTagName("failure").getLength() > 0) {
            failed++;
            failures.add(describe("FAILED", test, "failure"));
        } else if (test.getElementsByTagName("error").getLength() > 0) {
            failed++;
            failures.add(describe("FAILED", test, "error"));
        } else {
            passed++;
        }
    }

    private void addSkipped(Element test) {
        String line = describe("skipped", test, "skipped");
        String reason = line.substring(line.indexOf(": ") + 2).replaceFirst("^Assumption failed: ", "");
        Matcher promise = NOT_PROMISED.matcher(reason);
        if (promise.matches()) {
            reason = promise.group(2) + " " + promise.group(3);
            stores.computeIfAbsent(reason, first -> new TreeSet<>()).add(promise.group(1));
        }
        skips.computeIfAbsent(reason, first -> new ArrayList<>()).add(line);
    }

    private static String describe(String outcome, Element test, String tag) {
        Element cause = (Element) test.getElementsByTagName(tag).item(0);
        String message = cause.getAttribute("message");
        // An aborted test has no message, only its stack trace.
        String reason = message.isBlank()
                ? cause.getTextContent().strip().lines().findFirst().orElse("")
                : message;
        String line = reason.strip().replaceAll("\\s+", " ").replaceFirst("^\\S*TestAbortedException: ", "");
        String shown = line.length() > MAX_REASON_LENGTH ? line.substring(0, MAX_REASON_LENGTH) + "…" : line;
        String name = test.getAttribute("classname") + "." + test.getAttribute("name");
        return outcome + " " + name + ": " + (shown.isEmpty() ? "no reason given" : shown);
    }
}
