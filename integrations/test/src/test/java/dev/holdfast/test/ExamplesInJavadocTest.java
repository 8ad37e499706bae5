package dev.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every line of an example in the Javadoc stands in code that is compiled and run. */
class ExamplesInJavadocTest {
    private static final Path MAIN = Path.of("src/main/java/dev/holdfast/test");
    private static final Path TEST = Path.of("src/test/java/dev/holdfast/test");
    private static final Pattern EXAMPLE = Pattern.compile("<pre>\\{@code\\n(.*?)\\n \\* }</pre>", Pattern.DOTALL);

    @ParameterizedTest
    @CsvSource({
        "TestLocks.java, JavadocExamplesTest.java",
        "HoldfastExtension.java, JavadocExamplesTest.java",
        "spring/HoldfastTest.java, spring/HoldfastTestTest.java"
    })
    void isCode(String documented, String compiled) throws IOException {
        Matcher example = EXAMPLE.matcher(Files.readString(MAIN.resolve(documented)));
        assertThat(example.find()).isTrue();
        List<String> code = linesOf(Files.readString(TEST.resolve(compiled)), "");
        List<String> shown = linesOf(example.group(1), " \\* ?");
        assertThat(shown).hasSizeGreaterThan(4);
        assertThat(code).containsAll(shown);
    }

    private static List<String> linesOf(String text, String prefix) {
        return text.lines()
                .map(line -> line.replaceFirst("^" + prefix, "").strip())
                .map(line -> line.replaceFirst("^(static )?class (\\w+) \\{$", "class $2 {"))
                .filter(line -> !line.isEmpty())
                .toList();
    }
}
