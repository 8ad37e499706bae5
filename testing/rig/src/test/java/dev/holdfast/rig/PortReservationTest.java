package dev.holdfast.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class PortReservationTest {
    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void reservedPortIsNotGivenAgainInThisProcess() {
        try (PortReservation first = PortReservation.take()) {
            assertThat(PortReservation.attempt(first.port())).isEmpty();
            int port = first.port();
            first.close();
            try (PortReservation second = PortReservation.attempt(port).orElseThrow()) {
                assertThat(second.port()).isEqualTo(port);
            }
        }
    }

    @Test
    void reservedPortIsNotGivenInAnotherProcess() throws InterruptedException, IOException {
        try (PortReservation here = PortReservation.take()) {
            assertThat(attemptElsewhere(here.port())).isEqualTo("taken");
        }
        try (PortReservation free = PortReservation.take()) {
            int port = free.port();
            free.close();
            assertThat(attemptElsewhere(port)).isEqualTo("free");
        }
    }

    @Test
    void portInUseIsNotGiven() throws IOException {
        try (PortReservation lent = PortReservation.take()) {
            int port = lent.port();
            lent.close();
            try (ServerSocket user = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
                assertThat(PortReservation.attempt(user.getLocalPort())).isEmpty();
            }
        }
    }

    @Test
    void serverWhosePortWasTakenGetsAnother() throws InterruptedException {
        AtomicInteger starts = new AtomicInteger();
        Server server = rig.start("unlucky", new Script() {
            @Override
            public List<String> prepare(Place place) {
                return starts.incrementAndGet() == 1
                        ? List.of("sh", "-c", "echo bind: Address already in use; exit 1")
                        : List.of("sh", "-c", "echo open for business; exec sleep 600");
            }
        });
        assertThat(starts).hasValue(2);
        assertThat(server.isRunning()).isTrue();
    }

    @Test
    void serverThatCannotStartIsAFailureWithItsLog() {
        assertThatThrownBy(() -> rig.start("broken", new Script() {
                    @Override
                    public List<String> prepare(Place place) {
                        return List.of("sh", "-c", "echo the disk is on fire; exit 1");
                    }
                }))
                .isInstanceOf(RigException.class)
                .hasMessageContaining("the disk is on fire");
    }

    @Test
    void serverThatEndsOnItsOwnIsNotRunning() throws InterruptedException, IOException {
        Server server = rig.start("short", new Script() {
            @Override
            public List<String> prepare(Place place) {
                return List.of("sh", "-c", "echo open for business; while [ ! -e go ]; do sleep 0.02; done");
            }
        });
        assertThat(server.isRunning()).isTrue();
        Files.createFile(server.place().directory().resolve("go"));
        await().until(() -> !server.isRunning());
    }

    private static String attemptElsewhere(int port) throws InterruptedException, IOException {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        Elsewhere.class.getName(),
                        Integer.toString(port))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String answer = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        other.waitFor();
        return answer.strip();
    }

    /** The main class of another process. */
    static final class Elsewhere {
        private Elsewhere() {}

        public static void main(String[] arguments) {
            boolean free =
                    PortReservation.attempt(Integer.parseInt(arguments[0])).isPresent();
            System.out.println(free ? "free" : "taken");
        }
    }

    /** A server made of a few words of shell: ready when it says that it is open for business. */
    private abstract static class Script implements Launch {
        @Override
        public boolean ready(Place place) throws IOException {
            return Files.readString(place.directory().resolve("server.log")).contains("open for business");
        }

        @Override
        public void forget(Place place) {}
    }
}
