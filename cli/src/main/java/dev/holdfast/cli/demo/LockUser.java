package dev.holdfast.cli.demo;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.fence.StaleTokenException;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

/**
 * A process that uses locks as it is told to. Orders and answers are in {@link #obey}; each answer is one line that begins
 * with a word for what happened.
 */
final class LockUser {
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(20);
    private static final long PATIENCE_SECONDS = 120;

    private @Nullable Holdfast locks;
    private @Nullable Account account;
    private @Nullable Lease lease;
    private CompletableFuture<String> loss = new CompletableFuture<>();
    private int balance;

    private LockUser() {}

    /** Started by a demonstration. */
    public static void main(String[] none) throws InterruptedException {
        Part.play(new LockUser()::obey);
    }

    private String obey(String[] words) throws SQLException, InterruptedException {
        return switch (words[0]) {
            case "locks" -> useLocks(words[1]);
            case "account" -> {
                account = new Account(DemoDatabase.connect(words[1]));
                yield "there";
            }
            case "acquire" -> acquire(Durations.parse(words[1]));
            case "try" -> tryOnce();
            case "read" -> read(words[1].equals("guarded"));
            case "withdraw" -> withdraw(Integer.parseInt(words[1]), words[2].equals("guarded"));
            case "look" -> look();
            case "await-loss" -> "lost " + awaitLoss();
            case "release" -> "released " + lease().release();
            case "setnx" -> setIfAbsent(words[1], words[2]);
            default -> throw new IllegalArgumentException("unknown order " + words[0]);
        };
    }

    private String useLocks(String url) {
        if (locks != null) {
            locks.close();
        }
        locks = Holdfast.builder().url(url).commandTimeout(COMMAND_TIMEOUT).build();
        return "there";
    }

    private String acquire(Duration leaseTime) throws InterruptedException {
        LockOptions options = LockOptions.defaults().withLeaseTime(leaseTime);
        return "token " + keep(locks().lock(Account.LOCK, options).acquire());
    }

    private String tryOnce() throws InterruptedException {
        Optional<Lease> now = locks().lock(Account.LOCK).tryAcquire();
        return now.isPresent() ? "token " + keep(now.get()) : "taken";
    }

    private long keep(Lease granted) {
        CompletableFuture<String> told = new CompletableFuture<>();
        granted.onLost(reason -> told.complete(reason.name().toLowerCase(Locale.ROOT) + ": " + reason.explanation()));
        lease = granted;
        loss = told;
        return granted.token();
    }

    private String read(boolean guarded) throws SQLException {
        balance = guarded ? account().readGuarded(lease()) : account().read();
        return "read " + balance;
    }

    /** Computes from what was read, as a program does that does not know that time has passed. */
    private String withdraw(int amount, boolean guarded) throws SQLException {
        try {
            if (guarded) {
                account().writeGuarded(lease(), balance - amount);
            } else {
                account().write(balance - amount);
            }
            return "wrote " + (balance - amount);
        } catch (StaleTokenException refused) {
            return "refused " + refused.getClass().getSimpleName() + ": " + refused.getMessage();
        }
    }

    private String look() {
        try {
            lease().ensureHeld();
            return "held " + lease().isHeld();
        } catch (LeaseLostException lost) {
            return "held " + lease().isHeld() + " " + lost.getClass().getSimpleName();
        }
    }

    private String awaitLoss() throws InterruptedException {
        try {
            return loss.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException untold) {
            throw new IllegalStateException("nobody told of a loss", untold);
        }
    }

    private static String setIfAbsent(String redis, String key) {
        try (Jedis client = new Jedis(URI.create(redis))) {
            return "setnx " + client.sendCommand(Protocol.Command.SETNX, key, "1");
        }
    }

    private Holdfast locks() {
        return Objects.requireNonNull(locks, "no locks yet");
    }

    private Account account() {
        return Objects.requireNonNull(account, "no account yet");
    }

    private Lease lease() {
        return Objects.requireNonNull(lease, "no lease yet");
    }
}
