package dev.holdfast.bench.results;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The results of one run. The names of the components are those in JSON.
 *
 * @param date when it began, in UTC, as ISO 8601 writes it
 * @param machine what it ran on
 * @param java the version
 * @param processors as many as Java saw
 * @param load the load average at the beginning; null where the system does not know
 * @param checkout what was measured; null without git
 * @param command what was asked for
 * @param rounds that counted
 * @param seconds for which each maker was counted in a round
 * @param scenarios in the order in which they ran
 */
public record ResultsFile(
        String date,
        Machine machine,
        String java,
        int processors,
        @Nullable Double load,
        @Nullable Checkout checkout,
        Command command,
        int rounds,
        double seconds,
        List<ScenarioResult> scenarios) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** A scenario has a line for each of its parts; what is in them has one line, also a round of a maker. */
    private static final Lines OBJECTS = new Lines(3);

    private static final Lines ARRAYS = new Lines(6);

    /**
     * Where from and which state.
     *
     * @param commit its short name
     * @param changed whether files differed from it
     */
    public record Checkout(String commit, boolean changed) {
        private static final String CHANGED = "-changed";

        /**
         * Takes apart what {@code bench/run} says.
         *
         * @param word a commit, with an ending if files differ from it; empty without git
         * @return the checkout
         */
        public static @Nullable Checkout parse(String word) {
            return word.isEmpty() ? null : new Checkout(word.replace(CHANGED, ""), word.endsWith(CHANGED));
        }

        /** {@return the same for people} */
        public String text() {
            return commit + (changed ? " with changes" : "");
        }
    }

    /**
     * What was asked for.
     *
     * @param store its name, or all
     * @param scenario null for all
     * @param rounds null for as many as there is time for
     * @param seconds as given
     * @param withBefore whether another checkout was measured too
     * @param before which one; null also without git
     */
    public record Command(
            String store,
            @Nullable String scenario,
            @Nullable Integer rounds,
            double seconds,
            boolean withBefore,
            @Nullable Checkout before) {}

    /**
     * Reads one.
     *
     * @param file written by {@link #write}
     * @return the results
     * @throws IOException if it cannot be read, or is something else
     */
    public static ResultsFile read(Path file) throws IOException {
        try {
            return MAPPER.readValue(Files.readString(file), ResultsFile.class);
        } catch (JsonProcessingException wrong) {
            throw new IOException(file + " has no results of this benchmark: " + wrong.getOriginalMessage(), wrong);
        }
    }

    /**
     * Writes them.
     *
     * @param file overwritten if it exists
     * @throws IOException if it cannot be written
     */
    public void write(Path file) throws IOException {
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
        printer.indentObjectsWith(OBJECTS);
        printer.indentArraysWith(ARRAYS);
        Files.writeString(file, MAPPER.writer(printer).writeValueAsString(this) + "\n");
    }

    /** Breaks lines down to some depth, so that a file can be read and compared and is not endless. */
    private record Lines(int deepest) implements DefaultPrettyPrinter.Indenter {
        @Override
        public void writeIndentation(JsonGenerator out, int depth) throws IOException {
            out.writeRaw(depth <= deepest ? "\n" + "  ".repeat(depth) : " ");
        }

        @Override
        public boolean isInline() {
            return false;
        }
    }
}
