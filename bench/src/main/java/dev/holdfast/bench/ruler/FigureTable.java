package dev.holdfast.bench.ruler;

import dev.holdfast.bench.ruler.Document.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** All figures of one scenario, maker by maker. Columns without any are left out. */
final class FigureTable {
    private static final String NOTHING = "–";

    private final Finding finding;
    private final Results results;
    private final List<String> head = new ArrayList<>(List.of("maker"));
    private final List<List<String>> rows = new ArrayList<>();

    private FigureTable(Finding finding) {
        this.finding = finding;
        this.results = finding.results();
        results.makers().forEach(maker -> rows.add(new ArrayList<>(List.of(maker.title()))));
    }

    static Table of(Finding finding) {
        return new FigureTable(finding).table();
    }

    private Table table() {
        Scenario.Kind kind = finding.scenario().kind();
        Maker ours = finding.scenario().makers().get(0);
        column(kind.unit(), maker -> results.figure(maker, kind.figure()).map(Lines::spread));
        column(
                "ours / theirs",
                maker -> Optional.of(maker)
                        .filter(theirs -> theirs != ours)
                        .flatMap(theirs -> results.ratio(ours, theirs, kind.figure()))
                        .map(Lines::spread));
        median("requests each", Figure.REQUESTS_PER_GRANT);
        if (finding.scenario().isShared()) {
            worst("longest wait, ms", Figure.LONGEST_WAIT_MILLIS);
            worst("from another client, ms", Figure.LONGEST_SWITCH_MILLIS);
        }
        if (kind == Scenario.Kind.ONE_NAME) {
            number("least served, of the mean", Figure.LEAST_SERVED, Spread::least);
            median("client switches a second", Figure.SWITCHES_PER_SECOND);
        }
        median("ms of processor", Figure.CPU_MILLIS);
        median("with 2 waiting threads", Figure.REQUESTS_OF_FEW);
        median("ms", Figure.RECOVERY_MILLIS);
        median("in order", Figure.IN_ORDER);
        median("more threads", Figure.MORE_THREADS);
        return new Table(1, head, rows);
    }

    private void median(String title, Figure figure) {
        number(title, figure, Spread::median);
    }

    private void worst(String title, Figure figure) {
        number(title, figure, Spread::most);
    }

    /** What is nought for everybody does not exist here, such as requests where there is no server. */
    private void number(String title, Figure figure, ToDoubleFunction<Spread> part) {
        boolean any = results.makers().stream()
                .anyMatch(maker -> results.figure(maker, figure)
                        .filter(spread -> spread.most() != 0)
                        .isPresent());
        if (any) {
            column(
                    title,
                    maker -> results.figure(maker, figure)
                            .map(part::applyAsDouble)
                            .map(Lines::number));
        }
    }

    private void column(String title, Function<Maker, Optional<String>> cell) {
        List<Optional<String>> cells = results.makers().stream().map(cell).toList();
        if (cells.stream().allMatch(Optional::isEmpty)) {
            return;
        }
        head.add(title);
        for (int i = 0; i < cells.size(); i++) {
            rows.get(i).add(cells.get(i).orElse(NOTHING));
        }
    }
}
