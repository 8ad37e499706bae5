package dev.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * SQL in a page runs, on H2 with the tables of {@link Given}; marked {@code shipped: FILE}, it is what the jar has instead.
 * Coordinates of Maven and Gradle name modules and the version of this repository.
 */
final class SqlAndCoordinatesTest {
    private static final Path SHIPPED = Path.of("stores/jdbc/src/main/resources/dev/holdfast/jdbc/sql");
    private static final String MARK = "shipped: ";
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(holdfast-[\\w-]+)</artifactId>");
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");
    private static final Pattern GRADLE = Pattern.compile("dev\\.holdfast:([\\w-]+)(?::([^\"]+))?\"");

    @Test
    void sqlRunsOrIsShipped() throws IOException, SQLException {
        List<String> mistakes = new ArrayList<>();
        for (Page page : Pages.forUsers()) {
            mistakes.addAll(mistakesInSql(page));
        }
        assertThat(mistakes).isEmpty();
    }

    private static List<String> mistakesInSql(Page page) throws IOException, SQLException {
        List<String> mistakes = new ArrayList<>();
        try (Connection database = DriverManager.getConnection("jdbc:h2:mem:" + UUID.randomUUID())) {
            Given.prepare(database);
            for (Fence fence : page.fences("sql")) {
                if (fence.mark().startsWith(MARK)) {
                    String shipped = Files.readString(
                            Pages.ROOT.resolve(SHIPPED).resolve(fence.mark().substring(MARK.length())));
                    if (!bare(shipped.replace("${prefix}", "holdfast_")).equals(bare(fence.code()))) {
                        mistakes.add(fence.where() + ": this is not what "
                                + fence.mark().substring(MARK.length()) + " has");
                    }
                } else {
                    execute(database, fence, mistakes);
                }
            }
        }
        return mistakes;
    }

    private static void execute(Connection database, Fence fence, List<String> mistakes) {
        for (String sql : fence.code().split(";\\s*(\n|$)", -1)) {
            if (sql.isBlank()) {
                continue;
            }
            try (Statement statement = database.createStatement()) {
                statement.execute(sql);
            } catch (SQLException refused) {
                mistakes.add(fence.where() + ": " + refused.getMessage());
            }
        }
    }

    /** Without comments and the width of blanks. */
    private static String bare(String sql) {
        return sql.replaceAll("(?m)--.*$", "").replaceAll("\\s+", " ").strip();
    }

    @Test
    void coordinatesAreOurs() throws IOException {
        int found = 0;
        for (Page page : Pages.forUsers()) {
            List<Fence> fences = new ArrayList<>(page.fences("xml"));
            fences.addAll(page.fences("kotlin"));
            for (Fence fence : fences) {
                assertThat(mistakesInCoordinates(fence)).isEmpty();
                found++;
            }
        }
        assertThat(found).isPositive();
    }

    private static List<String> mistakesInCoordinates(Fence fence) throws IOException {
        List<String> mistakes = new ArrayList<>();
        String bom = Files.readString(Pages.ROOT.resolve("bom/pom.xml"));
        String code = GRADLE.matcher(fence.code())
                .replaceAll(found -> "<artifactId>" + found.group(1) + "</artifactId>"
                        + (found.group(2) == null ? "" : "<version>" + found.group(2) + "</version>"));
        Matcher artifact = ARTIFACT.matcher(code);
        while (artifact.find()) {
            if (!bom.contains("<artifactId>" + artifact.group(1) + "</artifactId>")) {
                mistakes.add(fence.where() + ": there is no " + artifact.group(1));
            }
        }
        Matcher version = VERSION.matcher(code);
        while (version.find()) {
            if (!bom.contains("<version>" + version.group(1) + "</version>")) {
                mistakes.add(fence.where() + ": the version is not " + version.group(1));
            }
        }
        return mistakes;
    }

    @Test
    void mistakesAreFound() throws IOException, SQLException {
        Page page = Page.of(Path.of("x"), "made-up.md", """
                ```sql
                UPDATE account SET balance = 1 WHERE id = 42;
                UPDATE nothing SET balance = 1;
                ```
                <!-- shipped: lease/h2/R__holdfast_lease.sql -->
                ```sql
                CREATE TABLE holdfast_lock (name VARCHAR(255));
                ```
                ```xml
                <artifactId>holdfast-nothing</artifactId><version>99</version>
                ```
                ```kotlin
                implementation("dev.holdfast:holdfast-none:98")
                ```
                """);
        assertThat(mistakesInSql(page))
                .hasSize(2)
                .anyMatch(mistake -> mistake.startsWith("made-up.md:2: Table \"NOTHING\""))
                .anyMatch(mistake ->
                        mistake.startsWith("made-up.md:7: this is not what lease/h2/R__holdfast_lease.sql has"));
        assertThat(mistakesInCoordinates(page.fences("xml").get(0))).hasSize(2);
        assertThat(mistakesInCoordinates(page.fences("kotlin").get(0)))
                .containsExactly("made-up.md:13: there is no holdfast-none", "made-up.md:13: the version is not 98");
    }
}
