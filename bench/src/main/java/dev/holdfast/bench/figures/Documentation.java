package dev.holdfast.bench.figures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The page and the picture in a checkout that show figures, and what they should be. */
public final class Documentation {
    private static final String PAGE = "docs/benchmarks.md";
    private static final String PICTURE = "docs/images/benchmark.svg";
    private static final String BEGIN = "<!-- figures: bench/figures writes what follows, from bench/results -->\n";
    private static final String END = "<!-- end of figures -->\n";

    private final Path root;
    private final Map<String, String> wanted;

    private Documentation(Path root, Map<String, String> wanted) {
        this.root = root;
        this.wanted = wanted;
    }

    /**
     * Reads the results of a checkout and works out what its documentation should show.
     *
     * @param root of the checkout
     * @param stores the order in which stores are told of
     * @return the documentation
     * @throws IOException if there are no results, or something cannot be read
     */
    public static Documentation of(Path root, List<String> stores) throws IOException {
        CommittedResults committed = CommittedResults.read(root.resolve("bench/results"), stores);
        Map<String, String> wanted = new LinkedHashMap<>();
        wanted.put(PAGE, replaced(Files.readString(root.resolve(PAGE)), new FiguresText(committed).markdown()));
        wanted.put(PICTURE, new FiguresPicture(committed).svg());
        return new Documentation(root, wanted);
    }

    /**
     * Finds what does not show the results.
     *
     * @return paths from the root
     * @throws IOException if something cannot be read
     */
    public List<String> outdated() throws IOException {
        List<String> outdated = new ArrayList<>();
        for (Map.Entry<String, String> each : wanted.entrySet()) {
            Path file = root.resolve(each.getKey());
            if (!Files.exists(file) || !Files.readString(file).equals(each.getValue())) {
                outdated.add(each.getKey());
            }
        }
        return outdated;
    }

    /**
     * Writes what is outdated.
     *
     * @return the paths of what was written, from the root
     * @throws IOException if it cannot be written
     */
    public List<String> update() throws IOException {
        List<String> outdated = outdated();
        for (String path : outdated) {
            Files.writeString(root.resolve(path), Objects.requireNonNull(wanted.get(path)));
        }
        return outdated;
    }

    private static String replaced(String page, String figures) throws IOException {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(PAGE + " has no place for figures: it needs the lines " + BEGIN + "and " + END);
        }
        return page.substring(0, begin + BEGIN.length()) + "\n" + figures + "\n" + page.substring(end);
    }
}
