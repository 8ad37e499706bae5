package dev.holdfast.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bench.ruler.Benchmark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the documentation shows is what the committed results say. */
final class DocumentationTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String PAGE = "docs/benchmarks.md";
    private static final String PICTURE = "docs/images/benchmark.svg";
    private static final String RESULTS = "bench/results";

    @TempDir
    Path copy;

    @Test
    void pageAndPictureShowTheCommittedResults() throws IOException {
        assertThat(documentation(ROOT).outdated())
                .as("run bench/figures after a change of bench/results")
                .isEmpty();
    }

    @Test
    void figureThatWasChangedByHandIsFoundAndPutRight() throws IOException {
        copyCheckout();
        String page = Files.readString(copy.resolve(PAGE));
        String figure = CommittedResults.read(copy.resolve(RESULTS), List.of()).newest().stream()
                .flatMap(measured -> measured.result().targets().stream())
                .findFirst()
                .orElseThrow()
                .measured();
        Files.writeString(copy.resolve(PAGE), page.replace(figure, "9" + figure));
        assertThat(documentation(copy).outdated()).containsExactly(PAGE);
        assertThat(documentation(copy).update()).containsExactly(PAGE);
        assertThat(Files.readString(copy.resolve(PAGE))).isEqualTo(page);
    }

    @Test
    void missingPictureIsFoundAndDrawn() throws IOException {
        copyCheckout();
        Files.delete(copy.resolve(PICTURE));
        assertThat(documentation(copy).outdated()).containsExactly(PICTURE);
        documentation(copy).update();
        assertThat(documentation(copy).outdated()).isEmpty();
    }

    @Test
    void checkoutWithoutResultsIsRefused() throws IOException {
        copyCheckout();
        Files.move(copy.resolve(RESULTS), copy.resolve("elsewhere"));
        assertThatThrownBy(() -> documentation(copy))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there are no results");
    }

    @Test
    void pageWithoutAPlaceForFiguresIsRefused() throws IOException {
        copyCheckout();
        Files.writeString(copy.resolve(PAGE), "# Benchmarks\n");
        assertThatThrownBy(() -> documentation(copy))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no place for figures");
    }

    private static Documentation documentation(Path root) throws IOException {
        return Documentation.of(root, Benchmark.storeNames());
    }

    /** A checkout whose page and picture show its results. */
    private void copyCheckout() throws IOException {
        Files.createDirectories(copy.resolve(RESULTS));
        Files.createDirectories(copy.resolve("docs/images"));
        Files.copy(ROOT.resolve(PAGE), copy.resolve(PAGE));
        Files.copy(ROOT.resolve(PICTURE), copy.resolve(PICTURE));
        try (Stream<Path> files = Files.list(ROOT.resolve(RESULTS))) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(RESULTS).resolve(file.getFileName()));
            }
        }
        // An outdated page is the matter of one test, not of all.
        documentation(copy).update();
    }
}
