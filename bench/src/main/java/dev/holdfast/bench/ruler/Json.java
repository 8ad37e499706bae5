package dev.holdfast.bench.ruler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The results for machines. */
final class Json {
    private Json() {}

    static void write(Path file, Request request, List<Finding> findings) throws IOException {
        Files.writeString(
                file,
                "{\n\"java\": " + text(Runtime.version().toString()) + ", \"processors\": "
                        + Runtime.getRuntime().availableProcessors() + ", \"rounds\": " + request.rounds()
                        + ", \"seconds\": " + number(request.turn().toMillis() / 1e3) + ",\n\"scenarios\": [\n"
                        + findings.stream().map(Json::finding).collect(Collectors.joining(",\n")) + "\n]}\n");
    }

    private static String finding(Finding finding) {
        Results results = finding.results();
        String makers = results.makers().stream()
                .map(maker -> "    {\"maker\": " + text(maker.word()) + ", \"setUp\": " + text(maker.setUp())
                        + ", \"rounds\": [\n      "
                        + results.of(maker).stream().map(Json::outing).collect(Collectors.joining(",\n      "))
                        + "]}")
                .collect(Collectors.joining(",\n"));
        String targets = finding.scenario().targets().stream()
                .map(target -> target(target, results))
                .collect(Collectors.joining(",\n    "));
        return "  {\"store\": " + text(finding.store().word()) + ", \"server\": " + text(finding.server())
                + ", \"name\": " + text(finding.scenario().name()) + ", \"failure\": "
                + finding.failure().map(Json::text).orElse("null") + ", \"makers\": [\n" + makers
                + "],\n   \"targets\": [\n    " + targets + "]}";
    }

    private static String target(Target target, Results results) {
        String value = target.figure()
                .apply(results)
                .map(measured -> number(measured.value()))
                .orElse("null");
        return "{\"what\": " + text(target.what()) + ", \"" + (target.atLeast() ? "atLeast" : "atMost") + "\": "
                + number(target.bound()) + ", \"value\": " + value + ", \"met\": " + target.isMet(results) + "}";
    }

    private static String outing(Outing outing) {
        return outing.figures().entrySet().stream()
                .map(entry -> text(entry.getKey().word()) + ": " + number(entry.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    /** Failures quote what processes have said, whatever that was. */
    private static String text(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        value.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }

    private static String number(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.3f", value) : "null";
    }
}
