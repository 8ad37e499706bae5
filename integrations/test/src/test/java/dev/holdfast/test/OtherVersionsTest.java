package dev.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.test.spring.HoldfastTestTest;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the examples, which are no tests of their own here, on every version that has to work. */
class OtherVersionsTest {
    private static final List<String> EXAMPLES = List.of(
            "dev.holdfast.test.JavadocExamplesTest",
            "dev.holdfast.test.JavadocExamplesTest$OrdersTest",
            "dev.holdfast.test.spring.HoldfastTestTest$CheckoutTest",
            "dev.holdfast.test.spring.HoldfastTestTest$WholeApplicationTest");

    private static final int TESTS = 5;

    @Test
    void theExamplesPassHere() {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(EXAMPLES.stream()
                                        .map(DiscoverySelectors::selectClass)
                                        .toList())
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        assertThat(summary.getFailures())
                .extracting(TestExecutionSummary.Failure::getException)
                .isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(TESTS);
    }

    @Test
    @Timeout(120)
    void theExamplesPassOnJUnit5AndSpringBoot3() throws IOException, InterruptedException {
        String older = System.getProperty("holdfast.older");
        File[] jars = new File(older).listFiles();
        assertThat(jars).isNotEmpty();
        String classPath = String.join(
                File.pathSeparator,
                Stream.concat(
                                Stream.of(TestLocks.class, HoldfastTestTest.class, Holdfast.class)
                                        .map(OtherVersionsTest::placeOf),
                                Stream.of(jars).map(File::getPath))
                        .toList());
        List<String> command = Stream.of(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-cp",
                                classPath,
                                "org.junit.platform.console.ConsoleLauncher",
                                "execute",
                                "--disable-banner",
                                "--disable-ansi-colors"),
                        EXAMPLES.stream().flatMap(name -> Stream.of("-c", name)))
                .flatMap(part -> part)
                .toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output).contains(TESTS + " tests successful");
        assertThat(process.exitValue()).as(output).isZero();
    }

    private static String placeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
