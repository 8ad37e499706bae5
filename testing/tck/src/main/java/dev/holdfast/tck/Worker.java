package dev.holdfast.tck;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A program with one client that does what it is told, line by line: the other side of {@link WorkerProcess}. It ends
 * with its standard input, so that it never outlives the suite. Used by one thread.
 */
final class Worker {
    /** Replies begin with this; everything else on standard output is noise. */
    static final String REPLY = "> ";

    /** Several processes start at once, cold, on a machine that may be busy. What they are asked is not how fast they are. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Holdfast client;
    private @Nullable Lease lease;

    private Worker(Holdfast client) {
        this.client = client;
    }

    /** Takes the URL, the client's name and the lease in milliseconds; then commands from standard input. */
    public static void main(String[] arguments) throws Exception {
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofMillis(Long.parseLong(arguments[2])));
        try (Holdfast client = Holdfast.builder()
                        .url(arguments[0])
                        .clientName(arguments[1])
                        .defaults(options)
                        .commandTimeout(PATIENCE)
                        .build();
                BufferedReader commands =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Worker worker = new Worker(client);
            reply("ready");
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                worker.obey(new ArrayDeque<>(List.of(line.split(" ", -1))));
            }
        }
    }

    private void obey(Deque<String> words) throws Exception {
        String verb = words.remove();
        switch (verb) {
            case "try" ->
                client.lock(words.remove()).tryAcquire().ifPresentOrElse(this::keep, () -> reply("contended"));
            case "wait" -> {
                CompletableFuture<Void> served =
                        client.lock(words.remove()).acquireAsync().thenAccept(this::keep);
                reply(served.isDone() ? "served" : "waiting");
            }
            case "held" -> reply("held " + current().isHeld());
            case "release" -> reply("released " + current().release());
            case "count" ->
                count(
                        words.remove(),
                        Path.of(words.remove()),
                        Path.of(words.remove()),
                        Integer.parseInt(words.remove()));
            default -> throw new IllegalArgumentException("unknown command " + verb);
        }
    }

    private synchronized void keep(Lease granted) {
        lease = granted;
        reply("acquired " + granted.token());
    }

    private synchronized Lease current() {
        Lease held = lease;
        if (held == null) {
            throw new IllegalStateException("nothing was acquired");
        }
        return held;
    }

    /** Counts up in a file that only the lock protects, and writes down the tokens in the order of holding. */
    private void count(String name, Path counter, Path tokens, int times) throws IOException, InterruptedException {
        for (int i = 0; i < times; i++) {
            client.lock(name).run(held -> {
                int seen = Integer.parseInt(Files.readString(counter));
                Threads.giveWay();
                Files.writeString(counter, Integer.toString(seen + 1));
                Files.writeString(tokens, held.token() + "\n", StandardOpenOption.APPEND);
            });
        }
        reply("counted");
    }

    private static synchronized void reply(String words) {
        System.out.println(REPLY + words);
        System.out.flush();
    }
}
