package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.tls.Certificates;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The unit and the container file of the server: their own words start the unpacked distribution, with nothing but their own environment,
 * and as a user that owns nothing and has no home. Neither systemd nor a container engine runs here.
 */
@Tag("processes")
class ServerPackagingTest {
    private static final Path PACKAGING = Path.of("../server/packaging");
    private static final String INSTALLED = "/opt/holdfast";
    private static final String USER = "7420";

    @RegisterExtension
    private static final Rig RIG = new Rig();

    @TempDir
    private Path directory;

    private Sandbox sandbox;

    @BeforeEach
    void unpack() {
        sandbox = new Sandbox(directory);
        sandbox.bash(
                        "chmod 755 . && mkdir opt etc empty state && tar xzf \"$1\" -C opt --strip-components=1 --no-same-owner",
                        System.getProperty("holdfast.distribution"))
                .output();
    }

    @AfterEach
    void close() {
        sandbox.close();
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    /** Starts words as another user if that is possible, in an empty directory, with this environment and nothing else. */
    private Launched start(List<String> environment, List<String> words) {
        List<String> command = new ArrayList<>(List.of("env", "-i"));
        command.add("PATH=" + System.getProperty("java.home") + "/bin:/usr/bin:/bin");
        command.addAll(environment);
        if (isRoot()) {
            command.addAll(
                    List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups", "--no-new-privs"));
        }
        command.addAll(words);
        return sandbox.bash("cd empty && exec \"$@\"", command.toArray(String[]::new));
    }

    private void assumeThatAnotherUserCanStartIt() {
        Assumptions.assumeTrue(
                start(List.of(), List.of(directory + "/opt/bin/holdfast", "--version"))
                                .exitCode()
                        == 0,
                "another user cannot start programs in " + directory + " here, so the server was not started as one");
        if (isRoot()) {
            sandbox.bash("chown " + USER + " state").output();
        }
    }

    private String unit() throws IOException {
        return Files.readString(PACKAGING.resolve("holdfast-server.service"))
                .replace(INSTALLED, directory.resolve("opt").toString());
    }

    private static List<String> settings(String unit, String name) {
        return unit.lines()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .toList();
    }

    private static int portOf(Launched server) {
        Pattern listening = Pattern.compile("https?://(?:[0-9.]+|\\[[0-9a-f:]+]):([0-9]+)");
        Sandbox.await().alias("listening").until(() -> {
            assertThat(server.isAlive()).as("%s", server.err()).isTrue();
            return listening.matcher(server.out()).find();
        });
        Matcher found = listening.matcher(server.out());
        assertThat(found.find()).isTrue();
        return Integer.parseInt(found.group(1));
    }

    private static HttpResponse<String> get(HttpClient http, String address, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static HttpRequest acquire(String root) {
        return HttpRequest.newBuilder(URI.create(root + "/v1/locks/a/leases"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"wait\":\"60s\"}"))
                .build();
    }

    @Test
    void systemdFindsNothingWrongWithTheUnit() throws IOException {
        SystemdUnits.assumeVerifiable(sandbox, "the unit of the server");
        Files.writeString(directory.resolve("holdfast-server.service"), unit());
        assertThat(SystemdUnits.complaints(sandbox, "holdfast-server.service")).isEmpty();
        Files.writeString(directory.resolve("bad.service"), unit().replace("ProtectClock=", "ProtectClocks="));
        assertThat(SystemdUnits.complaints(sandbox, "bad.service")).contains("ProtectClocks");
    }

    @Test
    void thePageHasTheCommandForTheDebianPackage() throws IOException {
        String command = settings(Files.readString(PACKAGING.resolve("holdfast-server.service")), "ExecStart")
                .get(0);
        assertThat(Path.of("../docs/server.md"))
                .content()
                .contains("`ExecStart=" + command.replace(INSTALLED, "/usr/lib/holdfast") + "`");
    }

    @Test
    void theUnitsCommandServesUntilItIsToldToStop() throws IOException, InterruptedException {
        assumeThatAnotherUserCanStartIt();
        String unit = unit().replace(
                        "/var/lib/holdfast-server", directory.resolve("state").toString());
        String command = settings(unit, "ExecStart").get(0);
        assertThat(command).contains(" --listen localhost:7420");
        List<String> environment = new ArrayList<>(settings(unit, "Environment"));
        environment.add("HOLDFAST_URL=memory:");
        Launched server = start(
                environment,
                List.of(command.replace("localhost:7420", "localhost:0").split(" ", -1)));

        String root = "http://127.0.0.1:" + portOf(server);
        HttpClient http = HttpClient.newHttpClient();
        assertThat(get(http, root + "/health").statusCode()).isEqualTo(200);
        assertThat(http.send(acquire(root), BodyHandlers.ofString()).statusCode())
                .isEqualTo(201);
        CompletableFuture<HttpResponse<String>> waiting = http.sendAsync(acquire(root), BodyHandlers.ofString());
        Sandbox.await().until(() -> get(http, root + "/v1/locks/a").body().contains("waitingMillis"));
        assertThat(directory.resolve("state/holdfast-server/secret")).isNotEmptyFile();

        Sandbox.signal("TERM", server.pid());
        assertThat(waiting.join().body()).contains("\"unavailable\"");
        assertThat(settings(unit, "SuccessExitStatus")).containsExactly("143");
        assertThat(server.exitCode()).isIn(0, 143);
        assertThat(server.err()).isEmpty();
    }

    @Test
    void theCommandOfTheContainerServesAsAUserWithoutAHome() throws IOException, InterruptedException {
        assumeThatAnotherUserCanStartIt();
        Certificates certificates = Certificates.forLocalhost(RIG);
        Capture made = Capture.of("serve", "--new-token", "ci", "--roles", "look");
        Files.writeString(directory.resolve("etc/clients"), lineOf(made, 1) + "\n");
        Files.copy(certificates.certificateFile(), directory.resolve("etc/server.pem"));
        Files.copy(certificates.keyFile(), directory.resolve("etc/server-key.pem"));
        sandbox.bash("chmod 755 etc && chmod 644 etc/*").output();

        String file = Files.readString(PACKAGING.resolve("Containerfile"))
                .replace("\\\n", "")
                .replace(INSTALLED, directory.resolve("opt").toString())
                .replace("/etc/holdfast", directory.resolve("etc").toString());
        assertThat(file).contains("\nUSER " + USER + ":" + USER + "\n", "\"0.0.0.0:7420\"");
        List<String> words = new ArrayList<>(words(file, "ENTRYPOINT"));
        words.addAll(words(file, "CMD"));
        words.replaceAll(word -> word.replace(":7420", ":0"));
        // What engines set for a user that is not in /etc/passwd.
        List<String> environment = new ArrayList<>(List.of("HOME=/", "HOLDFAST_URL=memory:"));

        if (isRoot()) {
            Launched withoutSecret = start(environment, words);
            assertThat(withoutSecret.exitCode()).isNotZero();
            assertThat(withoutSecret.err()).contains("HOLDFAST_SERVER_SECRET").hasLineCount(1);
        }
        environment.add("HOLDFAST_SERVER_SECRET=0123456789abcdef0123456789abcdef");
        Launched server = start(environment, words);
        String root = "https://localhost:" + portOf(server);
        HttpClient http =
                HttpClient.newBuilder().sslContext(certificates.clientContext()).build();
        assertThat(get(http, root + "/health").statusCode()).isEqualTo(200);
        assertThat(get(http, root + "/v1/locks").statusCode()).isEqualTo(401);
        assertThat(get(http, root + "/v1/locks", "Authorization", "Bearer " + lineOf(made, 0))
                        .statusCode())
                .isEqualTo(200);

        Sandbox.signal("TERM", server.pid());
        assertThat(server.exitCode()).isZero();
        assertThat(server.out().lines()).allMatch(line -> line.startsWith("{\"time\":"));
        assertThat(server.err()).isEmpty();
    }

    /** What stands behind the colon in a line of what {@code --new-token} prints. */
    private static String lineOf(Capture made, int line) {
        return made.out().lines().toList().get(line).replaceAll("^.*?:  +", "");
    }

    private static List<String> words(String file, String instruction) {
        Matcher array = Pattern.compile("(?m)^" + instruction + " \\[(.*)]$").matcher(file);
        assertThat(array.find()).as(instruction).isTrue();
        return Pattern.compile("\"([^\"]*)\"")
                .matcher(array.group(1))
                .results()
                .map(word -> word.group(1))
                .toList();
    }
}
