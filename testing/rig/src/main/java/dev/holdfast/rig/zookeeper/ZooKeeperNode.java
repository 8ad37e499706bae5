package dev.holdfast.rig.zookeeper;

import dev.holdfast.rig.Eventually;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.RigException;
import dev.holdfast.rig.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** One ZooKeeper server as a child process, on its own or a member of an ensemble. Used by one thread at a time. */
public final class ZooKeeperNode implements AutoCloseable {
    private static final Duration TIME_TO_SERVE = Duration.ofSeconds(30);
    private static final int INTRUDER_TIMEOUT_MILLIS = 5_000;

    private final Server server;

    ZooKeeperNode(Server server) {
        this.server = server;
    }

    /**
     * Starts a server on its own and waits until it answers.
     *
     * @param rig in which it runs
     * @return the server
     * @throws InterruptedException if interrupted
     */
    public static ZooKeeperNode start(Rig rig) throws InterruptedException {
        return start(rig, ZooKeeperSettings.defaults());
    }

    /**
     * Starts a server on its own and waits until it answers.
     *
     * @param rig in which it runs
     * @param settings how it is set up
     * @return the server
     * @throws InterruptedException if interrupted
     */
    public static ZooKeeperNode start(Rig rig, ZooKeeperSettings settings) throws InterruptedException {
        return new ZooKeeperNode(rig.start("zookeeper", new ZooKeeperLaunch(settings, 0, java.util.List.of())));
    }

    /** {@return host and port, as in a connection string} */
    public String address() {
        return "127.0.0.1:" + port();
    }

    /** {@return host and port for connections with TLS} */
    public String tlsAddress() {
        return "127.0.0.1:" + server.place().ports().get(1);
    }

    /** {@return its port on 127.0.0.1} */
    public int port() {
        return server.port();
    }

    /** {@return its process} */
    public Server server() {
        return server;
    }

    /** {@return where it keeps its data; may be changed while it is not running} */
    public Path data() {
        return ZooKeeperLaunch.data(server.place());
    }

    /**
     * Sends one of the four-letter words, such as {@code mntr}.
     *
     * @param word the word
     * @return the answer
     */
    public String ask(String word) {
        try {
            return ZooKeeperLaunch.ask(port(), word);
        } catch (IOException failed) {
            throw new UncheckedIOException(server.name() + " does not answer " + word, failed);
        }
    }

    /**
     * Reads one of the numbers in {@code mntr}.
     *
     * @param name without the leading {@code zk_}
     * @return the number, 0 if there is none of that name
     */
    public long metric(String name) {
        return ask("mntr")
                .lines()
                .filter(line -> line.startsWith("zk_" + name + "\t"))
                .map(line -> line.substring(line.indexOf('\t') + 1))
                .mapToLong(text -> (long) Double.parseDouble(text))
                .findFirst()
                .orElse(0);
    }

    /** {@return whether it is the leader of its ensemble now} */
    public boolean leads() {
        return mode().equals("leader");
    }

    /** {@return standalone, leader or follower; empty while it does not serve clients} */
    public String mode() {
        if (!server.isRunning() || server.isPaused()) {
            return "";
        }
        try {
            return ZooKeeperLaunch.ask(port(), "srvr", ZooKeeperLaunch.START_PATIENCE_MILLIS)
                    .lines()
                    .filter(line -> line.startsWith("Mode: "))
                    .map(line -> line.substring("Mode: ".length()))
                    .findFirst()
                    .orElse("");
        } catch (IOException notNow) {
            return "";
        }
    }

    /**
     * Waits until it serves clients, which a member of an ensemble does only while it is in touch with a leader.
     *
     * @throws InterruptedException if interrupted
     */
    public void awaitServing() throws InterruptedException {
        Eventually.await(server.name() + " serving clients", TIME_TO_SERVE, () -> !mode().isEmpty());
    }

    /**
     * Ends somebody else's session, as the server would if it had not heard of it for too long.
     *
     * @param session its id
     * @param password its password
     * @throws InterruptedException if interrupted
     */
    public void expire(long session, byte[] password) throws InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        try (ZooKeeper intruder = new ZooKeeper(
                address(),
                INTRUDER_TIMEOUT_MILLIS,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected || event.getState() == KeeperState.Expired) {
                        connected.countDown();
                    }
                },
                session,
                password)) {
            if (!connected.await(TIME_TO_SERVE.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new RigException("the session could not be taken over, and so not ended");
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("the session could not be ended", failed);
        }
    }

    /**
     * Starts it again after {@link #stop} or {@link #kill}, on the same ports and with the data that it has.
     *
     * @throws InterruptedException if interrupted
     */
    public void start() throws InterruptedException {
        server.start();
    }

    /**
     * As {@link Server#stop}.
     *
     * @throws InterruptedException if interrupted
     */
    public void stop() throws InterruptedException {
        server.stop();
    }

    /**
     * As {@link Server#kill}.
     *
     * @throws InterruptedException if interrupted
     */
    public void kill() throws InterruptedException {
        server.kill();
    }

    /**
     * As {@link Server#pause}.
     *
     * @throws InterruptedException if interrupted
     */
    public void pause() throws InterruptedException {
        server.pause();
    }

    /**
     * As {@link Server#resume}.
     *
     * @throws InterruptedException if interrupted
     */
    public void resume() throws InterruptedException {
        server.resume();
    }

    /**
     * As {@link Server#restart}.
     *
     * @throws InterruptedException if interrupted
     */
    public void restart() throws InterruptedException {
        server.restart();
    }

    @Override
    public void close() {
        server.close();
    }
}
