package dev.holdfast.rig.redis;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One Redis server as a child process. Used by one thread at a time. */
public final class RedisNode implements AutoCloseable {
    private final Server server;
    private final RedisLaunch launch;

    private RedisNode(Server server, RedisLaunch launch) {
        this.server = server;
        this.launch = launch;
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @param rig in which it runs
     * @return the server
     * @throws InterruptedException if interrupted
     */
    public static RedisNode start(Rig rig) throws InterruptedException {
        return start(rig, RedisSettings.defaults());
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @param rig in which it runs
     * @param settings how it is set up
     * @return the server
     * @throws InterruptedException if interrupted
     */
    public static RedisNode start(Rig rig, RedisSettings settings) throws InterruptedException {
        return start(rig, "redis", new RedisLaunch(RedisLaunch.Role.DATA, settings));
    }

    /**
     * Starts several servers that know nothing of each other.
     *
     * @param rig in which they run
     * @param count how many
     * @param settings how each is set up
     * @return the servers
     * @throws InterruptedException if interrupted
     */
    public static List<RedisNode> startSeveral(Rig rig, int count, RedisSettings settings) throws InterruptedException {
        List<RedisNode> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(start(rig, settings));
        }
        return List.copyOf(nodes);
    }

    static RedisNode start(Rig rig, String name, RedisLaunch launch) throws InterruptedException {
        return new RedisNode(rig.start(name, launch), launch);
    }

    /** {@return where it is, with the password of the default user if it has one} */
    public String url() {
        return scheme("redis") + "://" + userInfo() + "127.0.0.1:" + port();
    }

    /** {@return its port on 127.0.0.1} */
    public int port() {
        return server.port();
    }

    /** {@return its process} */
    public Server server() {
        return server;
    }

    /**
     * Sends one command over a connection of its own, as the default user.
     *
     * @param words the command and its arguments
     * @return a {@code String}, a {@code Long}, a {@code List} of these, or null
     * @throws RedisError if the reply is an error
     */
    public @Nullable Object ask(String... words) {
        try (RespConnection connection = connect()) {
            return connection.ask(words);
        } catch (IOException failed) {
            throw new UncheckedIOException(server.name() + " does not answer " + words[0], failed);
        }
    }

    /**
     * Opens a connection as the default user.
     *
     * @return the connection
     * @throws IOException if there is none
     */
    public RespConnection connect() throws IOException {
        return launch.connect(port());
    }

    /**
     * Starts it again after {@link #stop} or {@link #kill}, on the same port.
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
     * As {@link Server#restart}: what it remembers depends on {@link RedisSettings#durable}.
     *
     * @throws InterruptedException if interrupted
     */
    public void restart() throws InterruptedException {
        server.restart();
    }

    /**
     * As {@link Server#restartEmpty}.
     *
     * @throws InterruptedException if interrupted
     */
    public void restartEmpty() throws InterruptedException {
        server.restartEmpty();
    }

    @Override
    public void close() {
        server.close();
    }

    /** The user's part of URLs, as all servers of a group have it. */
    String userInfo() {
        String password = launch.settings().password();
        return password == null ? "" : ":" + URLEncoder.encode(password, StandardCharsets.UTF_8) + "@";
    }

    String scheme(String plain) {
        return launch.settings().certificates() == null ? plain : plain.replaceFirst("redis", "rediss");
    }

    /** One field of INFO, or empty. */
    String info(String section, String field) {
        String all = String.valueOf(ask("INFO", section));
        return all.lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1))
                .findFirst()
                .orElse("");
    }
}
