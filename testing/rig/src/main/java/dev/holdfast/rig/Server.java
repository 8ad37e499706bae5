package dev.holdfast.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One real server as a child process. Its ports and its directory stay the same over every restart. Used by one thread at
 * a time.
 */
public final class Server implements AutoCloseable {
    private static final Duration TIME_TO_START = Duration.ofSeconds(30);
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(10);
    private static final int MOST_PORTS_TRIED = 5;
    private static final int LINES_SHOWN = 40;

    private final String name;
    private final Launch launch;
    private final Path directory;
    private List<PortReservation> reservations;
    private @Nullable GuardedProcess process;
    private boolean paused;

    private Server(String name, Launch launch, Path directory) {
        this.name = name;
        this.launch = launch;
        this.directory = directory;
        this.reservations = List.of();
    }

    /** Starts a server on ports of its own, others if somebody took one in the very moment. */
    static Server start(String name, Launch launch, Path directory) throws InterruptedException {
        Server server = new Server(name, launch, directory);
        for (int tries = 1; ; tries++) {
            server.reserve();
            try {
                server.start();
                return server;
            } catch (RigException failed) {
                boolean anotherPortHelps = launch.portTaken(server.log());
                server.close();
                if (!anotherPortHelps || tries == MOST_PORTS_TRIED) {
                    throw failed;
                }
                server.startOver();
            }
        }
    }

    /** {@return what it is called in messages and in the names of files} */
    public String name() {
        return name;
    }

    /** {@return where it lives} */
    public Launch.Place place() {
        return new Launch.Place(
                directory, reservations.stream().map(PortReservation::port).toList());
    }

    /** {@return its first port} */
    public int port() {
        return place().port();
    }

    /** {@return its process id} */
    public long pid() {
        return running().pid();
    }

    /** {@return whether its process lives, paused or not} */
    public boolean isRunning() {
        GuardedProcess current = process;
        return current != null && current.isAlive();
    }

    /** {@return whether its process lives but was told to stand still} */
    public boolean isPaused() {
        return paused && isRunning();
    }

    /**
     * Starts it again after it was stopped or killed, on the same ports and with the data that it has kept, and waits until
     * it is ready.
     *
     * @throws InterruptedException if interrupted
     */
    public void start() throws InterruptedException {
        if (isRunning()) {
            throw new IllegalStateException(name + " is running already");
        }
        try {
            process = GuardedProcess.start(launch.prepare(place()), directory, logFile());
            paused = false;
        } catch (IOException failed) {
            throw new RigException(name + " cannot be started", failed);
        }
        awaitReady();
    }

    /**
     * Asks it to end and waits until it has; kills it if it takes too long.
     *
     * @throws InterruptedException if interrupted
     */
    public void stop() throws InterruptedException {
        GuardedProcess current = process;
        if (current == null || !current.isAlive()) {
            return;
        }
        if (paused) {
            resume();
        }
        if (!current.terminate(launch.stopSignal(), TIME_TO_STOP)) {
            current.kill();
        }
    }

    /**
     * Ends it without any chance to clean up, as {@code kill -9} does.
     *
     * @throws InterruptedException if interrupted
     */
    public void kill() throws InterruptedException {
        GuardedProcess current = process;
        if (current != null) {
            current.kill();
        }
    }

    /**
     * Stops it where it is; it does not notice, and its connections stay open.
     *
     * @throws InterruptedException if interrupted
     */
    public void pause() throws InterruptedException {
        running().signal("STOP");
        paused = true;
    }

    /**
     * Lets it go on after a pause.
     *
     * @throws InterruptedException if interrupted
     */
    public void resume() throws InterruptedException {
        running().signal("CONT");
        paused = false;
    }

    /**
     * Stops it, if it runs, and starts it with the data that it has kept.
     *
     * @throws InterruptedException if interrupted
     */
    public void restart() throws InterruptedException {
        stop();
        start();
    }

    /**
     * Stops it, if it runs, and starts it without any data.
     *
     * @throws InterruptedException if interrupted
     */
    public void restartEmpty() throws InterruptedException {
        stop();
        try {
            launch.forget(place());
        } catch (IOException failed) {
            throw new UncheckedIOException("the data of " + name + " cannot be deleted", failed);
        }
        start();
    }

    /** {@return all that it has written since its first start} */
    public String log() {
        try {
            return Files.exists(logFile()) ? Files.readString(logFile(), StandardCharsets.UTF_8) : "";
        } catch (IOException failed) {
            throw new UncheckedIOException("the log of " + name + " cannot be read", failed);
        }
    }

    /** {@return the end of its log, for people} */
    public String logTail() {
        List<String> lines = log().lines().toList();
        List<String> last = lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size());
        return "--- end of the log of " + name + " (" + logFile() + ")\n" + String.join("\n", last) + "\n---";
    }

    /** Ends it at once and gives its ports back. Its files stay until the rig is closed. */
    @Override
    public void close() {
        GuardedProcess current = process;
        try {
            if (current != null) {
                current.kill();
            }
            if (!reservations.isEmpty()) {
                launch.bury(place());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            reservations.forEach(PortReservation::close);
            reservations = List.of();
        }
    }

    private void reserve() {
        List<PortReservation> taken = new ArrayList<>();
        for (int i = 0; i < launch.ports(); i++) {
            taken.add(PortReservation.take());
        }
        reservations = List.copyOf(taken);
    }

    /** After a start that failed for its port: nothing that was written for the old port may be left. */
    private void startOver() {
        try {
            Directories.delete(directory);
            Files.createDirectories(directory);
            Files.writeString(logFile(), "", StandardOpenOption.CREATE);
        } catch (IOException failed) {
            throw new UncheckedIOException("the directory of " + name + " cannot be cleared", failed);
        }
    }

    private void awaitReady() throws InterruptedException {
        Eventually.await(
                () -> name + " was not ready within " + TIME_TO_START + "\n" + logTail(), TIME_TO_START, () -> {
                    if (!running().isAlive()) {
                        throw new RigException(name + " ended while it was starting\n" + logTail());
                    }
                    return launch.ready(place());
                });
    }

    private GuardedProcess running() {
        GuardedProcess current = process;
        if (current == null) {
            throw new IllegalStateException(name + " was never started");
        }
        return current;
    }

    private Path logFile() {
        return directory.resolve("server.log");
    }
}
