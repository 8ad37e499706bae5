package dev.holdfast.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command line counts more than the environment, and that more than the file. */
class SettingsTest {
    @TempDir
    private Path directory;

    @Test
    void optionThenEnvironmentThenFile() throws IOException {
        Path file = write("url = redis://h:1#prefix=p", "", "# a comment", "lease=1m", "client = billing");
        Map<String, String> onlyFile = Map.of("HOLDFAST_CONFIG", file.toString());
        Map<String, String> both =
                Map.of("HOLDFAST_CONFIG", file.toString(), "HOLDFAST_URL", "file:/a", "HOLDFAST_LEASE", "3s");

        assertThat(Stores.url(null, Settings.of(onlyFile))).isEqualTo("redis://h:1#prefix=p");
        assertThat(Stores.url(null, Settings.of(both))).isEqualTo("file:/a");
        assertThat(Stores.url("memory:", Settings.of(both))).isEqualTo("memory:");
        assertThat(lease(null, onlyFile)).isEqualTo(Duration.ofMinutes(1));
        assertThat(lease(null, both)).isEqualTo(Duration.ofSeconds(3));
        assertThat(lease(Duration.ofSeconds(9), both)).isEqualTo(Duration.ofSeconds(9));
        assertThat(lease(null, Map.of())).isEqualTo(Stores.USUAL_LEASE);
        assertThat(StoreChoice.of(null, Settings.of(both)).client()).contains("billing");
    }

    @Test
    void theUsualPlaceIsTheXdgDirectory() throws IOException {
        Path file = directory.resolve("holdfast/config");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "client = xdg\n");
        Path home = directory.resolve("home");
        Files.createDirectories(home.resolve(".config/holdfast"));
        Files.writeString(home.resolve(".config/holdfast/config"), "client = home\n");

        assertThat(client(Map.of("XDG_CONFIG_HOME", directory.toString(), "HOME", home.toString())))
                .contains("xdg");
        assertThat(client(Map.of("XDG_CONFIG_HOME", "relative", "HOME", home.toString())))
                .contains("home");
        assertThat(client(Map.of("HOME", directory.toString()))).isEmpty();
        assertThat(client(Map.of())).isEmpty();
    }

    @Test
    void aPasswordInTheFileIsForTheStoreInTheFile() throws IOException {
        Path file = write("url = redis://h:1", "password = hush");
        Settings settings = Settings.of(Map.of("HOLDFAST_CONFIG", file.toString()));

        assertThat(StoreChoice.of(null, settings).password()).contains("hush");
        assertThat(StoreChoice.of("redis://other:1", settings).password()).isEmpty();
        assertThat(StoreChoice.of(null, settings).toString()).doesNotContain("hush");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    url redis://u:hush@h   | a setting has the form 'key = value'
                    = hush                 | a setting has the form 'key = value'
                    passwort = hush        | there is no setting of that name; there are url, password,
                    lease = soon           | 'soon' is not a duration
                    url =                  | 'url' has no value
                    client = hush          | 'client' is set twice
                    """)
    void aMistakeIsNamedWithItsLineAndWithoutSecrets(String line, String explanation) throws IOException {
        Path file = write("client = me", "", line);

        assertThatThrownBy(() -> Settings.of(Map.of("HOLDFAST_CONFIG", file.toString())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file + ", line 3: " + explanation)
                .hasMessageNotContaining("hush");
    }

    @Test
    void aNamedFileThatIsMissingIsAMistake() {
        assertThatThrownBy(() -> Settings.of(Map.of("HOLDFAST_CONFIG", directory.resolve("nowhere") + "")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("there is no configuration file ");
    }

    @Test
    void aPasswordThatOthersCanReadIsWarnedOf() throws IOException {
        assertThat(warning("rw-r--r--", "url = redis://u:hush@h:1"))
                .contains("holds a password and can be read by others")
                .doesNotContain("hush");
        assertThat(warning("rw-r-----", "url = jdbc:postgresql://h/d?user=u&password=hush"))
                .contains("can be read by others");
        assertThat(warning("rw-r--r--", "password = hush")).contains("can be read by others");
        assertThat(warning("rw-------", "password = hush")).isEmpty();
        assertThat(warning("rw-r--r--", "url = redis://user@h:1")).isEmpty();
    }

    private String warning(String rights, String line) throws IOException {
        Path file = write(line);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream usual = System.err;
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            Settings.of(Map.of("HOLDFAST_CONFIG", file.toString())).warnOfReadablePassword();
        } finally {
            System.setErr(usual);
        }
        return err.toString(StandardCharsets.UTF_8);
    }

    private Path write(String... lines) throws IOException {
        return Files.writeString(directory.resolve("config"), String.join("\n", lines) + "\n");
    }

    private static Duration lease(Duration option, Map<String, String> environment) {
        return Settings.of(environment).duration(option, Settings.Key.LEASE, Stores.USUAL_LEASE);
    }

    private static Optional<String> client(Map<String, String> environment) {
        return Settings.of(environment).get(Settings.Key.CLIENT);
    }
}
