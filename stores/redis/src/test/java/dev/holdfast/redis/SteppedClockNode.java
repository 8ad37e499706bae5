package dev.holdfast.redis;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.rig.Launch;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.Server;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** A Redis server whose wall clock can be put forward and back, by libfaketime. Used by one thread. */
final class SteppedClockNode {
    private static final String LIBRARY = "libfaketime.so.1";

    private final Server server;
    private final Path clock;

    private SteppedClockNode(Server server) {
        this.server = server;
        this.clock = clockOf(server.place());
    }

    /** Throws {@link CannotRunException} where there is no libfaketime, or no Redis that it works with. */
    static SteppedClockNode start(Rig rig) throws InterruptedException {
        return new SteppedClockNode(rig.start("stepped", new Stepped(library(), dynamicServer())));
    }

    int port() {
        return server.port();
    }

    /** Puts the clock forward, or back if negative, against the true time; the server sees it with its next look. */
    void step(Duration by) {
        try {
            Path draft = Files.writeString(clock.resolveSibling("clock.new"), String.format("%+d", by.toSeconds()));
            Files.move(draft, clock, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw new UncheckedIOException("the clock cannot be stepped", failed);
        }
    }

    private static Path clockOf(Launch.Place place) {
        return place.directory().resolve("clock");
    }

    private static Path library() {
        for (Path root : List.of(Path.of("/usr/lib"), Path.of("/usr/local/lib"))) {
            if (Files.isDirectory(root)) {
                try (DirectoryStream<Path> below = Files.newDirectoryStream(root)) {
                    for (Path directory : below) {
                        for (Path each :
                                List.of(directory.resolve(LIBRARY), directory.resolve("faketime/" + LIBRARY))) {
                            if (Files.exists(each)) {
                                return each;
                            }
                        }
                    }
                } catch (IOException unreadable) {
                    throw new UncheckedIOException(unreadable);
                }
            }
        }
        throw new CannotRunException("There is no " + LIBRARY
                + ", so the clocks of nodes cannot be stepped; install the" + " package faketime to run these tests.");
    }

    /** The rig's own binary is linked statically, so a library cannot be put before it. */
    private static Path dynamicServer() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(directory -> Path.of(directory, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(
                        () -> new CannotRunException(
                                "There is no redis-server on the PATH that could be linked with"
                                        + " libfaketime, so the clocks of nodes cannot be stepped; install the package redis-server."));
    }

    private record Stepped(Path library, Path executable) implements Launch {
        @Override
        public List<String> prepare(Place place) throws IOException {
            Files.writeString(clockOf(place), "+0");
            return List.of(
                    "env",
                    "LD_PRELOAD=" + library,
                    "FAKETIME_TIMESTAMP_FILE=" + clockOf(place),
                    "FAKETIME_NO_CACHE=1",
                    "FAKETIME_DONT_FAKE_MONOTONIC=1",
                    executable.toString(),
                    "--bind",
                    "127.0.0.1",
                    "--port",
                    Integer.toString(place.port()),
                    "--save",
                    "",
                    "--appendonly",
                    "no",
                    "--dir",
                    place.directory().toString());
        }

        @Override
        public boolean ready(Place place) throws IOException {
            try (Connection connection = new Connection(new HostAndPort("127.0.0.1", place.port()))) {
                return connection.ping();
            } catch (JedisException notYet) {
                throw new IOException(notYet);
            }
        }

        @Override
        public void forget(Place place) {
            // Nothing is kept.
        }
    }
}
