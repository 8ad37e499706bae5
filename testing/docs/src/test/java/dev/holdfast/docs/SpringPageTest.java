package dev.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spring.Locked;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** Properties, attributes, meters and events that the pages name are those of the code, with their defaults. */
final class SpringPageTest {
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    private static final String NAMED_LOCK = "holdfast.locks.KEY.";
    private static final Pattern PROPERTY = Pattern.compile("(holdfast|management|server|spring)(\\.[\\w*-]+)+");
    private static final Pattern METER = Pattern.compile("\"(holdfast(?:\\.\\w+)+)\"");
    private static final Pattern FLIGHT_EVENT = Pattern.compile("@Name\\(\"([\\w.]+)\"\\)");

    /** A property of a module on the class path. */
    private record Known(String type, String standard, boolean ours) {}

    private final Map<String, Known> known = new TreeMap<>();

    SpringPageTest() throws IOException {
        ClassLoader loader = SpringPageTest.class.getClassLoader();
        for (URL file : Collections.list(loader.getResources(METADATA))) {
            try (InputStream in = file.openStream()) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                boolean ours = file.toString().contains("holdfast-spring")
                        || file.toString().contains("spring-boot-starter/target");
                for (Object each : (List<?>)
                        JsonParserFactory.getJsonParser().parseMap(text).get("properties")) {
                    Map<?, ?> property = (Map<?, ?>) each;
                    known.put(
                            (String) property.get("name"),
                            new Known(String.valueOf(property.get("type")), text(property.get("defaultValue")), ours));
                }
            }
        }
    }

    /** Which numbers are whole depends on the parser that is there. */
    private static String text(Object value) {
        if (value == null) {
            return "";
        }
        return value instanceof Number number ? Long.toString(number.longValue()) : value.toString();
    }

    @Test
    void tableOfPropertiesIsComplete() throws IOException {
        Map<String, String> expected = new TreeMap<>();
        known.forEach((name, property) -> {
            if (property.ours() && !name.equals("holdfast.locks")) {
                expected.put(name.equals("holdfast.options") ? name + ".*" : name, property.standard());
            }
        });
        assertThat(expected).hasSizeGreaterThan(15);
        Map<String, String> documented = new TreeMap<>();
        Set<String> ofNamedLocks = new TreeSet<>();
        table("property").forEach((name, standard) -> {
            if (name.startsWith(NAMED_LOCK)) {
                ofNamedLocks.add(name.substring(NAMED_LOCK.length()));
            } else {
                // What is said in words is a default that the metadata cannot know.
                documented.put(name, standard.startsWith("`") ? standard.replace("`", "") : "");
            }
        });
        assertThat(documented).isEqualTo(expected);
        assertThat(ofNamedLocks).isEqualTo(settingsOfNamedLocks());
    }

    private Set<String> settingsOfNamedLocks() {
        String type = known.get("holdfast.locks").type().replaceAll(".*,(.*)>", "$1");
        try {
            return Arrays.stream(Class.forName(type).getMethods())
                    .map(Method::getName)
                    .filter(name -> name.startsWith("set"))
                    .map(name ->
                            name.substring(3).replaceAll("(?<!^)([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (ClassNotFoundException missing) {
            throw new AssertionError(missing);
        }
    }

    @Test
    void everyPropertyExists() throws IOException {
        Set<String> meters = literals("integrations/micrometer", METER);
        List<String> unknown = new ArrayList<>();
        int found = 0;
        for (Page page : Pages.forUsers()) {
            for (Fence fence : page.fences("properties")) {
                Properties properties = new Properties();
                properties.load(new StringReader(fence.code()));
                for (String name : properties.stringPropertyNames()) {
                    found++;
                    if (!isKnown(name)) {
                        unknown.add(fence.where() + ": " + name);
                    }
                }
            }
            for (String line : page.prose()) {
                for (String code : Page.codeIn(line)) {
                    String name = code.replaceAll("=.*", "");
                    if (PROPERTY.matcher(name).matches()
                            && !name.endsWith(".mjs")
                            && !isKnown(name)
                            && !meters.contains(name)) {
                        unknown.add(page.name() + ": " + name);
                    }
                }
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(found).isGreaterThan(4);
        assertThat(isKnown("holdfast.defaults.lease")).isFalse();
        assertThat(isKnown("holdfast.locks.nightly.lease")).isFalse();
    }

    private boolean isKnown(String name) {
        if (name.startsWith("holdfast.locks.")) {
            return settingsOfNamedLocks().contains(name.replaceAll("^holdfast\\.locks\\.[^.]+\\.", ""));
        }
        return known.containsKey(name)
                || known.entrySet().stream()
                        .anyMatch(each -> each.getValue().type().startsWith("java.util.Map<")
                                && name.startsWith(each.getKey() + "."));
    }

    @Test
    void tableOfAttributesIsComplete() throws IOException {
        Map<String, String> expected = new TreeMap<>();
        for (Method attribute : Locked.class.getDeclaredMethods()) {
            Object standard = attribute.getDefaultValue();
            expected.put(
                    attribute.getName(),
                    standard == null
                            ? ""
                            : standard instanceof String ? "`\"" + standard + "\"`" : "`" + standard + "`");
        }
        assertThat(new TreeMap<>(table("attribute"))).isEqualTo(expected);
    }

    @Test
    void tableOfMetersIsComplete() throws IOException {
        Set<String> meters = literals("integrations/micrometer", METER);
        // Names of observations and of what they carry.
        meters.removeIf(name -> name.startsWith("holdfast.lock") || name.equals("holdfast.token"));
        assertThat(table("meter").keySet()).containsExactlyInAnyOrderElementsOf(meters);
    }

    @Test
    void eventsOfTheFlightRecorderAreNamed() throws IOException {
        Set<String> named = Pages.named("docs/spring.md").prose().stream()
                .flatMap(line -> Page.codeIn(line).stream())
                .filter(code -> code.startsWith("dev.holdfast."))
                .collect(Collectors.toSet());
        assertThat(named).isEqualTo(literals("core/src/main/java/dev/holdfast/jfr", FLIGHT_EVENT));
    }

    /** The names and second cells of the table whose first column has this heading. */
    private static Map<String, String> table(String heading) throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        boolean inTable = false;
        for (String line : Pages.named("docs/spring.md").prose()) {
            List<String> cells = Page.cells(line);
            if (cells.isEmpty()) {
                inTable = false;
            } else if (cells.get(0).equals(heading)) {
                inTable = true;
            } else if (inTable && !cells.get(0).startsWith("--")) {
                rows.put(Page.codeIn(cells.get(0)).get(0), cells.get(1));
            }
        }
        return rows;
    }

    private static Set<String> literals(String directory, Pattern wanted) throws IOException {
        Set<String> found = new TreeSet<>();
        for (Path file : Pages.files(directory, path -> path.toString().matches(".*/src/main/.*\\.java"))) {
            Matcher literal = wanted.matcher(Files.readString(file));
            while (literal.find()) {
                found.add(literal.group(1));
            }
        }
        return found;
    }
}
