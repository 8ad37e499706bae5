package dev.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The dashboard asks for nothing that does not exist. */
class DashboardTest {
    static final Path DASHBOARD = Path.of("../../docs/grafana/holdfast-dashboard.json");

    private static final Pattern EXPRESSION = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern METRIC = Pattern.compile("holdfast_[a-z_]+");
    private static final Pattern GROUPING = Pattern.compile("by \\((\\w+)\\)");
    private static final Pattern SELECTION = Pattern.compile("[{,](\\w+)=~?\\\\\"([^\"\\\\]*)\\\\\"");

    private final String scraped = scrape();

    private static String scrape() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        HoldfastMetrics.of(registry);
        return registry.scrape();
    }

    private static List<String> expressions() throws IOException {
        return EXPRESSION
                .matcher(Files.readString(DASHBOARD))
                .results()
                .map(result -> result.group(1))
                .toList();
    }

    @Test
    void everyMetricOfTheDashboardIsRegistered() throws IOException {
        Set<String> registered = scraped.lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("[{ ]", 2)[0])
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> used = expressions().stream()
                .flatMap(expression -> METRIC.matcher(expression).results())
                .map(result -> result.group())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(used).hasSizeGreaterThan(15);
        assertThat(registered).containsAll(used);
    }

    @Test
    void everyLabelOfTheDashboardExists() throws IOException {
        for (String expression : expressions()) {
            GROUPING.matcher(expression)
                    .results()
                    .forEach(label -> assertThat(scraped).contains(label.group(1) + "=\""));
            SELECTION
                    .matcher(expression)
                    .results()
                    .filter(label -> !label.group(1).equals("application"))
                    .forEach(label -> assertThat(scraped).contains(label.group(1) + "=\"" + label.group(2) + "\""));
        }
    }
}
