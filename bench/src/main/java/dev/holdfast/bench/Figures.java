package dev.holdfast.bench;

import dev.holdfast.bench.figures.Documentation;
import dev.holdfast.bench.ruler.Benchmark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes the figures of the documentation from the committed results; see {@code bench/figures --help}. */
public final class Figures {
    private Figures() {}

    /**
     * Runs it. The status is 0 if the documentation shows the results, 1 if not, 2 if the arguments or the results are wrong.
     *
     * @param arguments nothing, or {@code --check}
     */
    public static void main(String[] arguments) {
        System.exit(run(Path.of(System.getProperty("holdfast.bench.root", "")), List.of(arguments)));
    }

    private static int run(Path root, List<String> arguments) {
        boolean check = arguments.equals(List.of("--check"));
        if (!check && !arguments.isEmpty()) {
            System.err.println("bench/figures: usage: bench/figures [--check]");
            return 2;
        }
        try {
            Documentation documentation = Documentation.of(root, Benchmark.storeNames());
            List<String> outdated = check ? documentation.outdated() : documentation.update();
            outdated.forEach(path -> System.out.println(
                    check ? path + " differs from bench/results: run bench/figures" : "wrote " + path));
            return check && !outdated.isEmpty() ? 1 : 0;
        } catch (IOException wrong) {
            System.err.println("bench/figures: " + wrong.getMessage());
            return 2;
        }
    }
}
