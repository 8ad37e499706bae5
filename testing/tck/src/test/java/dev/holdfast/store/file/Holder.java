package dev.holdfast.store.file;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A program with one client at a time that does what it is told, line by line: the other side of {@link HolderProcess}.
 * It ends with its standard input, so that it never outlives the tests. Used by one thread.
 */
final class Holder {
    /** Replies begin with this; everything else on standard output is noise. */
    static final String REPLY = "> ";

    private final Map<String, Lease> leases = new ConcurrentHashMap<>();
    private final Map<String, LossReason> losses = new ConcurrentHashMap<>();
    private @Nullable Holdfast client;
    private @Nullable FileChannel directoryLock;

    private Holder() {}

    /** Takes commands from standard input. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Holder holder = new Holder();
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                holder.obey(new ArrayDeque<>(List.of(line.split(" ", -1))));
            }
        } finally {
            holder.leave();
        }
    }

    private void obey(Deque<String> words) throws IOException, InterruptedException {
        try {
            String answer = answer(words);
            if (answer != null) {
                reply(answer);
            }
        } catch (HoldfastException failed) {
            reply("failed " + inOneLine(failed));
        }
    }

    private @Nullable String answer(Deque<String> words) throws IOException, InterruptedException {
        String verb = words.remove();
        switch (verb) {
            case "open" -> {
                leave();
                client = Holdfast.connect(words.remove());
                return "ready";
            }
            case "leave" -> {
                leave();
                return "left";
            }
            case "lock-directory" -> {
                directoryLock = FileChannel.open(Path.of(words.remove(), "lock"), StandardOpenOption.WRITE);
                directoryLock.lock();
                return "locked";
            }
            case "unlock-directory" -> {
                Objects.requireNonNull(directoryLock, "locked before").close();
                return "unlocked";
            }
            case "try" -> {
                String name = words.remove();
                return client().lock(name).tryAcquire().map(this::keep).orElse("contended");
            }
            case "wait" -> {
                client().lock(words.remove())
                        .acquireAsync()
                        .whenComplete((lease, failure) -> reply(lease == null ? "failed " + failure : keep(lease)));
                return null;
            }
            case "take-many" -> {
                String prefix = words.remove();
                int count = Integer.parseInt(words.remove());
                for (int i = 0; i < count; i++) {
                    keep(client().lock(prefix + i).acquire());
                }
                return "taken";
            }
            case "churn" -> {
                String name = words.remove();
                for (int left = Integer.parseInt(words.remove()); left > 0; left--) {
                    client().lock(name).acquire().close();
                }
                return "churned";
            }
            case "held" -> {
                return "held " + of(words.remove()).isHeld();
            }
            case "loss" -> {
                return "loss " + losses.get(words.remove());
            }
            case "release" -> {
                return "released " + of(words.remove()).release();
            }
            case "evict" -> {
                return "evicted " + client().evict(words.remove(), "the test wants it");
            }
            case "inspect" -> {
                Optional<LockView> view = client().inspect(words.remove());
                return "sees " + view.map(seen -> seen.holders().size()).orElse(0) + " "
                        + view.map(seen -> seen.waiters().size()).orElse(0);
            }
            case "list" -> {
                return "lists "
                        + client().list(words.remove(), Integer.MAX_VALUE).size();
            }
            default -> throw new IllegalArgumentException("unknown command " + verb);
        }
    }

    private void leave() {
        Holdfast open = client;
        client = null;
        leases.clear();
        losses.clear();
        if (open != null) {
            open.close();
        }
    }

    private Holdfast client() {
        return Objects.requireNonNull(client, "opened before");
    }

    private String keep(Lease granted) {
        leases.put(granted.name(), granted);
        losses.remove(granted.name());
        granted.onLost(reason -> losses.put(granted.name(), reason));
        return "acquired " + granted.token();
    }

    private Lease of(String name) {
        Lease held = leases.get(name);
        if (held == null) {
            throw new IllegalStateException("'" + name + "' was never acquired");
        }
        return held;
    }

    /** An exception with its causes: what a user would read in a log. */
    private static String inOneLine(Throwable failure) {
        StringBuilder told = new StringBuilder();
        for (Throwable next = failure; next != null; next = next.getCause()) {
            told.append(told.isEmpty() ? "" : " <- ").append(next);
        }
        return told.toString().replace('\n', ' ');
    }

    private static synchronized void reply(String words) {
        System.out.println(REPLY + words);
        System.out.flush();
    }
}
