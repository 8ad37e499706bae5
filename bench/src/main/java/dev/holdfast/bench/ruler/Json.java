package dev.holdfast.bench.ruler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The results for machines. All texts in it are our own and need no escapes. */
final class Json {
    private Json() {}

    static void write(Path file, Request request, List<Scenario> scenarios, List<Results> results) throws IOException {
        String all = IntStream.range(0, scenarios.size())
                .mapToObj(i -> scenario(scenarios.get(i), results.get(i)))
                .collect(Collectors.joining(",\n"));
        Files.writeString(
                file,
                "{\n\"java\": \"" + Runtime.version() + "\", \"processors\": "
                        + Runtime.getRuntime().availableProcessors() + ", \"rounds\": " + request.rounds()
                        + ", \"seconds\": " + number(request.time().toMillis() / 1e3) + ",\n\"scenarios\": [\n" + all
                        + "\n]}\n");
    }

    private static String scenario(Scenario scenario, Results results) {
        List<String> makers = new ArrayList<>();
        for (Maker maker : results.makers()) {
            String rounds = results.of(maker).stream().map(Json::outing).collect(Collectors.joining(",\n      "));
            makers.add("    {\"maker\": \"" + maker.word() + "\", \"rounds\": [\n      " + rounds + "]}");
        }
        String targets = scenario.targets().stream()
                .map(target -> target(target, results))
                .collect(Collectors.joining(",\n    "));
        return "  {\"name\": \"" + scenario.name() + "\", \"makers\": [\n" + String.join(",\n", makers)
                + "],\n   \"targets\": [\n    " + targets + "]}";
    }

    private static String target(Target target, Results results) {
        String value = target.figure()
                .apply(results)
                .map(measured -> number(measured.value()))
                .orElse("null");
        return "{\"what\": \"" + target.what() + "\", \"" + (target.atLeast() ? "atLeast" : "atMost") + "\": "
                + number(target.bound()) + ", \"value\": " + value + ", \"met\": " + target.isMet(results) + "}";
    }

    private static String outing(Outing outing) {
        return "{\"perSecond\": " + number(outing.perSecond()) + ", \"longestWaitMillis\": "
                + number(outing.longestWaitMillis()) + ", \"longestSwitchMillis\": "
                + number(outing.longestSwitchMillis()) + ", \"leastServed\": " + number(outing.leastServed())
                + ", \"switchesPerSecond\": " + number(outing.switchesPerSecond()) + ", \"handOverMicros\": "
                + number(outing.handOverMicros()) + ", \"roundTrips\": " + number(outing.roundTrips()) + "}";
    }

    private static String number(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.3f", value) : "null";
    }
}
