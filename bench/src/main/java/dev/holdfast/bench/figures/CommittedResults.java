package dev.holdfast.bench.figures;

import dev.holdfast.bench.results.ResultsFile;
import dev.holdfast.bench.results.ScenarioResult;
import dev.holdfast.bench.results.ScenarioResult.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All results files of a directory.
 *
 * @param runs the oldest first
 * @param stores the order in which stores are told of
 */
record CommittedResults(List<Run> runs, List<String> stores) {

    /** A file with its name. */
    record Run(String file, ResultsFile results) {}

    /** A scenario, and the run that it is from. */
    record Measured(Run run, ScenarioResult result) {
        private String key() {
            return result.store() + " " + result.name();
        }
    }

    static CommittedResults read(Path directory, List<String> stores) throws IOException {
        List<Run> runs = new ArrayList<>();
        for (Path file : files(directory)) {
            runs.add(new Run(directory.relativize(file).toString(), ResultsFile.read(file)));
        }
        if (runs.isEmpty()) {
            throw new IOException("there are no results in " + directory + ": bench/run --json writes them");
        }
        // ISO 8601 sorts as time does.
        runs.sort(Comparator.<Run, String>comparing(run -> run.results().date()).thenComparing(Run::file));
        return new CommittedResults(List.copyOf(runs), stores);
    }

    /** The newest result of every scenario of every store. */
    List<Measured> newest() {
        return newest(any -> true);
    }

    /** The same, of those only in which another edition was measured too. */
    List<Measured> newestWithBefore() {
        return newest(result -> result.comparisons().stream().anyMatch(each -> each.kind() == Kind.BEFORE));
    }

    private List<Measured> newest(Predicate<ScenarioResult> wanted) {
        Map<String, Measured> newest = new LinkedHashMap<>();
        runs.stream()
                .flatMap(run -> run.results().scenarios().stream().map(result -> new Measured(run, result)))
                .filter(measured -> wanted.test(measured.result()))
                .forEach(measured -> newest.put(measured.key(), measured));
        return newest.values().stream()
                .sorted(Comparator.comparingInt(
                        measured -> stores.indexOf(measured.result().store())))
                .toList();
    }

    private static List<Path> files(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".json")).toList();
        }
    }
}
