package dev.holdfast.bench.ruler;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.rig.Rig;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Runs the scenarios that were asked for, store after store, and reports. Used by one thread. */
public final class Benchmark {
    private final Request request;
    private final List<Store> stores;
    private final Json json;
    private final Report report;
    private final Progress progress;
    private final Budget budget;
    private final List<Finding> findings = new ArrayList<>();

    private Benchmark(Request request, PrintStream out) {
        this.request = request;
        this.stores = stores(request);
        this.json = new Json(request);
        this.report = new Report(out);
        List<Scenario> all = stores.stream()
                .flatMap(store -> chosen(store, request).stream())
                .toList();
        this.progress = new Progress(System.err, all.size());
        this.budget = new Budget(request, all);
    }

    /**
     * Makes one that prints to standard output.
     *
     * @param request what to run
     * @return the benchmark
     * @throws IllegalArgumentException if there is no such store or scenario
     */
    public static Benchmark of(Request request) {
        return new Benchmark(request, System.out);
    }

    /** {@return the names of all stores, in the order in which they are told of} */
    public static List<String> storeNames() {
        return Store.all().stream().map(Store::word).toList();
    }

    /** For tests. */
    static Benchmark of(Request request, PrintStream out) {
        return new Benchmark(request, out);
    }

    /**
     * Measures and prints.
     *
     * @return whether all targets are met
     * @throws InterruptedException if stopped
     * @throws IOException if the results cannot be written
     */
    public boolean run() throws InterruptedException, IOException {
        report.begin(request);
        for (Store store : stores) {
            measure(store);
        }
        report.finish(findings, progress.elapsed());
        if (request.json().isPresent()) {
            json.file(findings).write(request.json().get());
        }
        if (request.report().isPresent()) {
            Path page = new Account(request, findings)
                    .document()
                    .write(request.report().get());
            report.tellOf(page);
        }
        return findings.stream().allMatch(Finding::isGood);
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }

    /** A server that cannot run here makes its scenarios fail, not those of the other stores. */
    private void measure(Store store) throws InterruptedException {
        try (Rig rig = new Rig()) {
            Venue venue = store.start(rig);
            report.begin(store, venue);
            try (Ruler ruler = new Ruler(venue, rig.directory(), request, progress)) {
                for (Scenario scenario : chosen(store, request)) {
                    progress.begin(store, scenario);
                    add(measure(store, venue, ruler, scenario));
                }
            }
        } catch (CannotRunException cannot) {
            for (Scenario scenario : chosen(store, request)) {
                progress.begin(store, scenario);
                budget.begin(scenario, progress.elapsed());
                add(failed(store, "no server", scenario, cannot));
            }
        }
    }

    /** What goes wrong in one scenario is told and does not cost the results of the others. */
    private Finding measure(Store store, Venue venue, Ruler ruler, Scenario scenario) throws InterruptedException {
        int rounds = budget.begin(scenario, progress.elapsed());
        try {
            return new Finding(store, venue.server(), scenario, ruler.measure(scenario, rounds), Optional.empty());
        } catch (IllegalStateException failure) {
            // Its processes may be in the middle of something.
            ruler.close();
            return failed(store, venue.server(), scenario, failure);
        }
    }

    private static Finding failed(Store store, String server, Scenario scenario, RuntimeException failure) {
        return new Finding(store, server, scenario, new Results(), Optional.of(String.valueOf(failure.getMessage())));
    }

    private void add(Finding finding) {
        progress.clear();
        report.print(finding);
        findings.add(finding);
    }

    private static List<Store> stores(Request request) {
        List<Store> named = request.store().equals(Request.ALL)
                ? Store.surveyed()
                : Store.all().stream()
                        .filter(store -> request.store().equals(store.word()))
                        .toList();
        if (named.isEmpty()) {
            throw new IllegalArgumentException("the stores are " + String.join(", ", storeNames()) + " and "
                    + Request.ALL + ", not " + request.store());
        }
        List<Store> withScenario = named.stream()
                .filter(store -> !chosen(store, request).isEmpty())
                .toList();
        if (withScenario.isEmpty()) {
            Set<String> names = new LinkedHashSet<>();
            named.forEach(store -> store.scenarios().forEach(scenario -> names.add(scenario.name())));
            throw new IllegalArgumentException("the scenarios of " + request.store() + " are "
                    + String.join(", ", names) + ", not " + request.scenario().orElse(""));
        }
        return withScenario;
    }

    private static List<Scenario> chosen(Store store, Request request) {
        return store.scenarios().stream()
                .filter(scenario -> request.scenario().map(scenario::isCalled).orElse(true))
                .map(scenario -> ClassPath.before().isPresent() ? scenario.withBefore() : scenario)
                .toList();
    }
}
