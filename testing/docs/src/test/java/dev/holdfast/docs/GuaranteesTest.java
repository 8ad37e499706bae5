package dev.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the page of guarantees says of a promise, in rows and below headings, is what each store's traits say. */
final class GuaranteesTest {
    /** The columns, and clients of each; a client that is lazy knows its traits without a server. */
    private static Map<String, List<String>> columns(Path directory) {
        Map<String, List<String>> columns = new LinkedHashMap<>();
        columns.put("memory", List.of("memory:"));
        columns.put("file", List.of("file:" + directory));
        columns.put("Redis, one node", List.of("redis://localhost:1"));
        columns.put(
                "Redis Sentinel, Cluster", List.of("redis+sentinel://localhost:1/m", "redis+cluster://localhost:1"));
        columns.put("Redlock", List.of("redlock://a:1,b:1,c:1"));
        columns.put("JDBC `lease`", List.of("jdbc:postgresql://localhost:1/x", "jdbc:mariadb://localhost:1/x"));
        columns.put(
                "JDBC `row`, `advisory`",
                List.of(
                        "jdbc:postgresql://localhost:1/x#strategy=row",
                        "jdbc:postgresql://localhost:1/x#strategy=advisory"));
        columns.put("ZooKeeper", List.of("zookeeper://localhost:1", "zookeeper://localhost:1#mode=simple"));
        columns.put("etcd", List.of("etcd://localhost:1"));
        return columns;
    }

    @Test
    void promisesAreThoseOfTheTraits(@TempDir Path directory) throws IOException {
        assertThat(mistakes(Pages.named("docs/guarantees.md"), directory)).isEmpty();
    }

    private static List<String> mistakes(Page page, Path directory) {
        Map<String, List<StoreTraits>> columns = traits(directory);
        List<String> mistakes = new ArrayList<>();
        Set<Promise> told = EnumSet.noneOf(Promise.class);
        List<String> header = List.of();
        Promise inHeading = null;
        for (String line : page.prose()) {
            List<String> cells = Page.cells(line);
            header = cells.isEmpty() ? List.of() : header.isEmpty() ? cells : header;
            inHeading = line.startsWith("#") ? promiseIn(line) : inHeading;
            if (cells.isEmpty()) {
                continue;
            }
            if (header.get(0).equals("store")) {
                compareStores(inHeading, cells, columns, mistakes);
                continue;
            }
            Promise promise = promiseIn(cells.get(0));
            if (promise == null) {
                continue;
            }
            told.add(promise);
            for (String column : columns.keySet()) {
                int index = header.indexOf(column);
                compare(promise, column, index < 0 ? "(no such column)" : cells.get(index), columns, mistakes);
            }
        }
        EnumSet.complementOf(EnumSet.copyOf(told.isEmpty() ? Set.of(Promise.FAIR) : told))
                .forEach(missing -> mistakes.add(missing + " has no row"));
        return mistakes;
    }

    /** A row below a heading that names a promise: stores, and what each of them promises. */
    private static void compareStores(
            Promise promise, List<String> cells, Map<String, List<StoreTraits>> columns, List<String> mistakes) {
        if (promise == null || cells.get(0).equals("store") || cells.get(0).startsWith("--")) {
            return;
        }
        for (String store : cells.get(0).split("; ", -1)) {
            if (columns.containsKey(store)) {
                compare(promise, store, cells.get(1), columns, mistakes);
            } else {
                mistakes.add(promise + ": there is no store " + store);
            }
        }
    }

    private static void compare(
            Promise promise, String store, String cell, Map<String, List<StoreTraits>> columns, List<String> mistakes) {
        String expected = expected(promise, columns.get(store));
        if (!cell.matches(expected + "(\\b.*)?")) {
            mistakes.add(promise + ", " + store + ": should begin with '" + expected + "', but is '" + cell + "'");
        }
    }

    private static Promise promiseIn(String cell) {
        for (Promise promise : Promise.values()) {
            if (cell.contains("`" + promise + "`")) {
                return promise;
            }
        }
        return null;
    }

    private static Map<String, List<StoreTraits>> traits(Path directory) {
        Map<String, List<StoreTraits>> traits = new LinkedHashMap<>();
        columns(directory).forEach((column, urls) -> {
            List<StoreTraits> answers = new ArrayList<>();
            for (String url : urls) {
                try (Holdfast client = Holdfast.builder().url(url).lazy(true).build()) {
                    answers.add(client.traits());
                }
            }
            traits.put(column, answers);
        });
        return traits;
    }

    /** Where the clients of a column differ, the cell has to say so. */
    private static String expected(Promise promise, List<StoreTraits> clients) {
        long makers =
                clients.stream().filter(traits -> traits.promises(promise)).count();
        return makers == 0 ? "no" : makers == clients.size() ? "yes" : "partly";
    }

    @Test
    void testsThatAreNamedExist() throws IOException {
        Set<String> tests = new HashSet<>();
        for (String module : List.of("core", "stores", "testing")) {
            for (Path file : Pages.files(module, path -> path.toString().endsWith("Test.java"))) {
                tests.add(file.getFileName().toString().replace(".java", ""));
            }
        }
        List<String> named = Pages.named("docs/guarantees.md").prose().stream()
                .flatMap(line -> Page.codeIn(line).stream())
                .filter(code -> code.endsWith("Test"))
                .toList();
        assertThat(named).hasSizeGreaterThan(10).isSubsetOf(tests);
    }

    @Test
    void wrongCellAndMissingRowAreFound(@TempDir Path directory) {
        Page page = Page.of(directory, "made-up.md", """
                | | memory | file | Redis, one node | Redis Sentinel, Cluster | Redlock | JDBC `lease` | JDBC `row`, `advisory` | ZooKeeper | etcd |
                |---|---|---|---|---|---|---|---|---|---|
                | `FAIR` | yes | yes | yes | yes | yes | yes | no | partly: not simple | yes |

                ### Dies (`DEATH_SEEN_AT_ONCE`)

                | store | what happens |
                |---|---|
                | file; memory | yes: at once |
                | elsewhere | no |
                """);
        assertThat(mistakes(page, directory))
                .hasSize(Promise.values().length + 2)
                .contains(
                        "FAIR, Redlock: should begin with 'no', but is 'yes'",
                        "READ_WRITE has no row",
                        "DEATH_SEEN_AT_ONCE, memory: should begin with 'no', but is 'yes: at once'",
                        "DEATH_SEEN_AT_ONCE: there is no store elsewhere");
    }
}
