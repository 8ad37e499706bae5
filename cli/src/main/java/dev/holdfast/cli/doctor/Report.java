package dev.holdfast.cli.doctor;

import dev.holdfast.StoreTraits;
import dev.holdfast.cli.console.Json;
import dev.holdfast.cli.console.Printable;
import dev.holdfast.cli.console.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What {@code doctor} prints.
 *
 * @param traits what the store promises; null if it could not be asked
 * @param latency how long a round trip takes; null if there was none
 * @param findings what was found
 */
record Report(@Nullable StoreTraits traits, @Nullable Latency latency, List<Finding> findings) {
    private static final int MOST_NAMED = 3;

    /**
     * How long round trips took.
     *
     * @param medianMicros of half of them, this long or shorter
     * @param mostMicros the slowest
     */
    record Latency(long medianMicros, long mostMicros) {}

    List<String> lines(Terminal terminal) {
        List<String> lines = new ArrayList<>();
        if (traits != null) {
            lines.add(terminal.bold("Promises"));
            traits.promises().stream().sorted().forEach(each -> lines.add("  yes  " + each.explanation()));
            traits.missing().stream().sorted().forEach(each -> lines.add("  no   " + each.explanation()));
            lines.add("  When a server fails or restarts: " + traits.failover());
        }
        lines.add(terminal.bold("Findings"));
        if (latency != null) {
            lines.add("  ok       "
                    + String.format(
                            Locale.ROOT,
                            "a round trip takes %.1f ms, the slowest took %.1f ms",
                            latency.medianMicros / 1e3,
                            latency.mostMicros / 1e3));
        }
        List<Finding> told = new ArrayList<>();
        for (Finding each : findings) {
            if (told.stream().noneMatch(each::saysTheSameAs)) {
                told.add(each);
                tell(each, terminal, lines);
            }
        }
        return lines;
    }

    private void tell(Finding finding, Terminal terminal, List<String> lines) {
        String what = Printable.of(where(finding) + finding.what());
        lines.add(
                switch (finding.level()) {
                    case OK -> "  ok       " + what;
                    case UNKNOWN -> terminal.yellow("  unknown  ") + what;
                    case CAUTION -> terminal.yellow("  caution  ") + what;
                    case DANGER -> terminal.red("  DANGER   ") + what;
                });
        if (!finding.advice().isEmpty()) {
            lines.add("           " + finding.advice() + " [" + finding.id() + "]");
        }
    }

    /** The servers of which the same is said, in one line. */
    private String where(Finding finding) {
        List<String> places = findings.stream()
                .filter(each -> each.saysTheSameAs(finding) && !each.where().isEmpty())
                .map(Finding::where)
                .toList();
        if (places.isEmpty()) {
            return "";
        }
        String more = places.size() > MOST_NAMED ? " and " + (places.size() - MOST_NAMED) + " more" : "";
        return places.stream().limit(MOST_NAMED).collect(Collectors.joining(", ")) + more + ": ";
    }

    String json() {
        Json json = new Json().beginObject().key("promises").beginArray();
        if (traits != null) {
            traits.promises().stream()
                    .sorted()
                    .forEach(each -> json.value(each.name().toLowerCase(Locale.ROOT)));
        }
        json.endArray().key("missing").beginArray();
        if (traits != null) {
            traits.missing().stream()
                    .sorted()
                    .forEach(each -> json.value(each.name().toLowerCase(Locale.ROOT)));
        }
        json.endArray();
        if (traits != null) {
            json.key("failover").value(traits.failover());
        }
        if (latency != null) {
            json.key("latencyMicros").value(latency.medianMicros);
            json.key("slowestMicros").value(latency.mostMicros);
        }
        json.key("findings").beginArray();
        for (Finding each : findings) {
            json.beginObject().key("level").value(each.level().name().toLowerCase(Locale.ROOT));
            json.key("id").value(each.id());
            json.key("where").value(each.where());
            json.key("what").value(each.what());
            json.key("advice").value(each.advice()).endObject();
        }
        return json.endArray().endObject().toString();
    }
}
