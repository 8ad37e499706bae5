import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Counts the tests in Surefire's XML reports, for {@code ./check}. Prints {@code PASSED FAILED SKIPPED} on the first
 * line, then one line for every test that failed or was skipped, with the reason.
 *
 * <p>Usage: {@code java TestSummary.java REPORT-DIRECTORY...}
 */
public final class TestSummary {
    private static final int MAX_REASON_LENGTH = 160;

    private final List<String> details = new ArrayList<>();
    private int passed;
    private int failed;
    private int skipped;

    private TestSummary() {}

    public static void main(String[] args) throws Exception {
        TestSummary summary = new TestSummary();
        for (String directory : args) {
            summary.addAll(Path.of(directory));
        }
        System.out.println(summary.passed + " " + summary.failed + " " + summary.skipped);
        summary.details.forEach(System.out::println);
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
            details.add(describe("skipped", test, "skipped"));
        } else if (test.getElementsByTagName("failure").getLength() > 0) {
            failed++;
            details.add(describe("FAILED", test, "failure"));
        } else if (test.getElementsByTagName("error").getLength() > 0) {
            failed++;
            details.add(describe("FAILED", test, "error"));
        } else {
            passed++;
        }
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
