package dev.holdfast.cli.demo;

import dev.holdfast.cli.store.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A process that plays a part in a demonstration. It is told lines, and answers with lines; it ends when nobody can tell
 * it anything any more. Used by one thread.
 */
final class Player implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int MOST_UNHEARD = 10_000;

    /** No line contains a line break. */
    private static final String END = "\n";

    /** Those who have not been closed. */
    private static final Set<Player> PLAYING = ConcurrentHashMap.newKeySet();

    private final String name;
    private final Process process;
    private final Writer orders;

    /** Whether it has something to tidy up when nobody tells it anything any more. */
    private final boolean tidiesUp;

    private final BlockingQueue<String> heard = new ArrayBlockingQueue<>(MOST_UNHEARD);

    private Player(String name, Process process, boolean tidiesUp) {
        this.tidiesUp = tidiesUp;
        this.name = name;
        this.process = process;
        this.orders = process.outputWriter(StandardCharsets.UTF_8);
        Thread listener = new Thread(this::listen, "holdfast-demo-" + name);
        listener.setDaemon(true);
        listener.start();
        PLAYING.add(this);
    }

    /** Ends all of them at once, or as soon as they have tidied up; whoever waits for one is told that it has ended. */
    static void endAll() {
        PLAYING.forEach(Player::end);
    }

    private void end() {
        if (tidiesUp) {
            try {
                orders.close();
            } catch (IOException gone) {
                process.destroyForcibly();
            }
        } else {
            process.destroyForcibly();
        }
    }

    /** Starts a class of this program in a process of its own. */
    static Player start(String name, Class<?> part) {
        return start(name, false, false, System.getProperty("java.class.path", ""), part.getName());
    }

    /** The same, and it knows the password that this process knows: it is for a database of the user's. */
    static Player startWithPassword(String name, Class<?> part) {
        return start(name, true, false, System.getProperty("java.class.path", ""), part.getName());
    }

    /**
     * Starts a Java program.
     *
     * @param name for messages
     * @param password whether it may have the password in the environment, which fits no server but the user's own
     * @param tidiesUp whether it needs a moment at the end, when nobody tells it anything any more
     * @param classPath where its classes are
     * @param words the main class and its arguments; no secrets, because everybody can see them
     */
    static Player start(String name, boolean password, boolean tidiesUp, String classPath, String... words) {
        Curtain.ensureUp();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home", ""), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath));
        command.addAll(List.of(words));
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            if (!password) {
                builder.environment().remove(Settings.Key.PASSWORD.variable());
            }
            Process started = builder.start();
            Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
            return new Player(name, started, tidiesUp);
        } catch (IOException failed) {
            throw new DemoException("cannot start a process for " + name, failed);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Tells it something; it reads it when it gets to it. */
    void tell(String line) {
        try {
            orders.write(line + "\n");
            orders.flush();
        } catch (IOException gone) {
            throw new DemoException(name + " has ended too early", gone);
        }
    }

    /** {@return what follows the word that the next answer must begin with} */
    String expect(String word) throws InterruptedException {
        return hear(PATIENCE)
                .filter(answer -> answer.equals(word) || answer.startsWith(word + " "))
                .map(answer -> answer.substring(word.length()).strip())
                .orElseThrow(() -> new DemoException(name + " does not answer"));
    }

    /** {@return what follows the word that the answer to an order must begin with} */
    String ask(String line, String word) throws InterruptedException {
        tell(line);
        return expect(word);
    }

    /** {@return the next line, if there is one in time} */
    Optional<String> hear(Duration wait) throws InterruptedException {
        Curtain.ensureUp();
        String line = heard.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        if (line == null) {
            return Optional.empty();
        }
        if (line.equals(END)) {
            throw new DemoException(name + " has ended too early");
        }
        if (line.startsWith("failed ")) {
            throw new DemoException(name + ": " + line.substring("failed ".length()));
        }
        return Optional.of(line);
    }

    /** Ends it at once, as a crash would. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        PLAYING.remove(this);
        process.destroyForcibly();
        try {
            // Until it has ended it may still write where others are about to tidy up.
            process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets it end by itself, and waits for that. */
    void dismiss() throws InterruptedException {
        PLAYING.remove(this);
        try {
            orders.close();
        } catch (IOException gone) {
            process.destroyForcibly();
        }
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private void listen() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            while (line != null) {
                heard.put(line);
                line = lines.readLine();
            }
            heard.put(END);
        } catch (IOException gone) {
            heard.offer(END);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
