package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs after all other tests, and looks for their password in everything that they printed and threw. */
final class SecretsStaySecretTest {
    @Test
    void passwordOfTheTestsIsNowhereInTheirOutput() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("holdfast.reports.directory")))) {
            List<Path> reports = files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().contains("SecretsStaySecret"))
                    .toList();
            assertThat(reports).as("reports of the other tests").isNotEmpty();
            for (Path report : reports) {
                String output = new String(Files.readAllBytes(report), StandardCharsets.ISO_8859_1);
                assertThat(output.contains(Secrets.CANARY))
                        .as("the password is in %s", report.getFileName())
                        .isFalse();
            }
        }
    }
}
