package dev.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every snippet in Java compiles without a warning; those marked {@code runs} run, and print what the page says; the tests
 * in those marked {@code tests} pass. What is marked {@code from: FILE} stands in that file, which the build compiles.
 */
final class JavaSnippetsTest {
    private static final String RUNS = "runs";
    private static final String PRINTS = "prints";
    private static final String TESTS = "tests";
    private static final String FROM = "from: ";

    @TempDir
    static Path output;

    private static List<Page> pages;
    private static JavaSnippets snippets;

    @BeforeAll
    static void compile() throws IOException {
        pages = Pages.forUsers();
        List<Fence> fences = new ArrayList<>();
        pages.forEach(page -> page.fences("java").stream()
                .filter(fence -> !fence.mark().startsWith(FROM))
                .forEach(fences::add));
        assertThat(fences).hasSizeGreaterThan(20);
        snippets = JavaSnippets.compile(fences, output);
    }

    @Test
    void everySnippetCompiles() {
        assertThat(snippets.complaints()).isEmpty();
    }

    @TestFactory
    List<DynamicTest> whatIsMarkedRuns() {
        assertThat(snippets.complaints()).as("what does not compile cannot run").isEmpty();
        List<DynamicTest> tests = new ArrayList<>();
        for (Page page : pages) {
            List<Fence> fences = page.fences();
            for (int i = 0; i < fences.size(); i++) {
                Fence fence = fences.get(i);
                if (fence.language().equals("java") && fence.mark().equals(RUNS)) {
                    Fence next = i + 1 < fences.size() ? fences.get(i + 1) : fence;
                    String printed = next.mark().equals(PRINTS) ? next.code() : "";
                    tests.add(DynamicTest.dynamicTest(fence.where(), () -> runs(snippets, fence, printed)));
                }
            }
        }
        assertThat(tests).hasSizeGreaterThan(4);
        return tests;
    }

    private static void runs(JavaSnippets compiled, Fence fence, String printed) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        System.setOut(new PrintStream(heard, true, StandardCharsets.UTF_8));
        try {
            compiled.run(fence);
        } finally {
            System.setOut(before);
        }
        assertThat(heard.toString(StandardCharsets.UTF_8).strip()).isEqualTo(printed.strip());
    }

    @TestFactory
    List<DynamicTest> testsInSnippetsPass() {
        List<DynamicTest> tests = pages.stream()
                .flatMap(page -> page.fences("java").stream())
                .filter(fence -> fence.mark().equals(TESTS))
                .map(fence -> DynamicTest.dynamicTest(
                        fence.where(), () -> assertThat(snippets.test(fence)).isPositive()))
                .toList();
        assertThat(tests).isNotEmpty();
        return tests;
    }

    @Test
    void whatIsTakenFromAFileStandsThere() throws IOException {
        int taken = 0;
        for (Page page : pages) {
            for (Fence fence : page.fences("java")) {
                if (fence.mark().startsWith(FROM)) {
                    assertThat(isInItsFile(fence)).as(fence.where()).isTrue();
                    taken++;
                }
            }
        }
        assertThat(taken).isPositive();
        Fence strange = Page.of(output, "made-up.md", """
                <!-- from: examples/spring-shop/src/main/java/dev/holdfast/examples/shop/Shop.java -->
                ```java
                payment.refund(customer);
                ```
                """).fences().get(0);
        assertThat(isInItsFile(strange)).isFalse();
    }

    /** Comments and the width of blanks do not count. */
    private static boolean isInItsFile(Fence fence) throws IOException {
        String file = Files.readString(Pages.ROOT.resolve(fence.mark().substring(FROM.length())));
        return bare(file).contains(bare(fence.code()));
    }

    private static String bare(String code) {
        return code.replaceAll("(?m)\\s//.*$", "").replaceAll("\\s+", " ").strip();
    }

    @Test
    void testThatFailsIsNoticed(@TempDir Path elsewhere) throws IOException {
        Page page = Page.of(output, "made-up.md", """
                ```java
                import org.junit.jupiter.api.Assertions;
                class FailingTest {
                    @org.junit.jupiter.api.Test
                    void fails() { Assertions.fail("as it should"); }
                }
                ```
                """);
        JavaSnippets compiled = JavaSnippets.compile(page.fences(), elsewhere);
        assertThat(compiled.complaints()).isEmpty();
        assertThatThrownBy(() -> compiled.test(page.fences().get(0)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("fails() failed");
    }

    @Test
    void mistakeIsReportedWithPageAndLine(@TempDir Path elsewhere) throws IOException {
        Page page = Page.of(output, "made-up.md", """
                Text.

                ```java
                Lease mine = lock.acquire();
                mine.unlock();
                ```
                """);
        assertThat(JavaSnippets.compile(page.fences(), elsewhere).complaints())
                .singleElement()
                .asString()
                .startsWith("made-up.md:5: cannot find symbol");
    }

    @Test
    void warningIsAMistakeToo(@TempDir Path elsewhere) throws IOException {
        Page page = Page.of(output, "made-up.md", "```java\nList raw = new ArrayList();\n```\n");
        assertThat(JavaSnippets.compile(page.fences(), elsewhere).complaints())
                .hasSize(2)
                .allMatch(complaint -> complaint.startsWith("made-up.md:2: found raw type"));
    }

    @Test
    void snippetThatFailsOrPrintsSomethingElseIsNoticed(@TempDir Path elsewhere) throws IOException {
        Page page = Page.of(output, "made-up.md", """
                ```java
                try (Lease mine = lock.acquire()) { System.out.println(mine.name()); }
                ```
                ```java
                Lease mine = lock.acquire(); lock.tryAcquire().orElseThrow(); mine.close();
                ```
                """);
        JavaSnippets compiled = JavaSnippets.compile(page.fences(), elsewhere);
        assertThat(compiled.complaints()).isEmpty();
        assertThatThrownBy(() -> runs(compiled, page.fences().get(0), "orders/43"))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> runs(compiled, page.fences().get(1), ""))
                .isInstanceOf(java.util.NoSuchElementException.class);
    }
}
