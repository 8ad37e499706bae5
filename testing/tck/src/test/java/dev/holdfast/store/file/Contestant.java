package dev.holdfast.store.file;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that takes two names in turn and checks that it has them alone: while it holds a name it keeps a file that
 * nobody else can make, and writes its token down. Ends when the file {@code stop} is there, or when it is killed.
 */
final class Contestant {
    private static final List<String> NAMES = List.of("a", "b");
    private static final Duration LONGEST_HOLD = Duration.ofMillis(3);
    private static final Duration SHORT_WAIT = Duration.ofMillis(20);
    private static final long DEATH_TAKES_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long LOOK_NANOS = Duration.ofMillis(1).toNanos();

    private final Holdfast client;
    private final Path arena;
    private final Random random;
    private final String pid = Long.toString(ProcessHandle.current().pid());

    private Contestant(Holdfast client, Path arena, Random random) {
        this.client = client;
        this.arena = arena;
        this.random = random;
    }

    /** Takes the store's directory, the arena's, and a seed. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path arena = Path.of(arguments[1]);
        try (Holdfast client = Holdfast.connect("file:" + arguments[0])) {
            Contestant contestant = new Contestant(client, arena, new Random(Long.parseLong(arguments[2])));
            while (!Files.exists(arena.resolve("stop"))) {
                contestant.oneRound();
            }
        }
    }

    private void oneRound() throws IOException, InterruptedException {
        List<String> names = random.nextInt(3) == 0 ? NAMES : List.of(NAMES.get(random.nextInt(NAMES.size())));
        DistributedLock lock = client.all(names.toArray(String[]::new));
        Optional<Lease> lease = random.nextBoolean() ? Optional.of(lock.acquire()) : acquireSoon(lock);
        if (lease.isPresent()) {
            try (Lease held = lease.get()) {
                for (String name : names) {
                    enter(name, held.token(name));
                }
                LockSupport.parkNanos(random.nextInt((int) LONGEST_HOLD.toNanos()));
                for (String name : names) {
                    Files.delete(arena.resolve("in-" + name));
                }
            }
        }
    }

    /** Whoever is stopped during a short wait cannot tell what became of it. */
    private static Optional<Lease> acquireSoon(DistributedLock lock) throws InterruptedException {
        try {
            return lock.tryAcquire(SHORT_WAIT);
        } catch (StoreUnavailableException noAnswerInTime) {
            return Optional.empty();
        }
    }

    private void enter(String name, long token) throws IOException {
        Path mark = arena.resolve("in-" + name);
        try {
            Files.writeString(mark, pid, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException taken) {
            removeMarkOfTheDead(mark, token);
            Files.writeString(mark, pid, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }
        Files.writeString(
                arena.resolve("tokens-" + name),
                token + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.APPEND);
    }

    /** A mark that is left by one that was killed is no overlap; that of a living one is, and so is one that vanishes. */
    private void removeMarkOfTheDead(Path mark, long token) throws IOException {
        long until = System.nanoTime() + DEATH_TAKES_NANOS;
        String holder = "";
        try {
            holder = Files.readString(mark);
            while (!isDead(holder)) {
                if (System.nanoTime() - until > 0) {
                    report(pid + " got token " + token + " while the living " + holder + " was in " + mark);
                    break;
                }
                LockSupport.parkNanos(LOOK_NANOS);
                Files.readAttributes(mark, "size");
            }
            Files.delete(mark);
        } catch (NoSuchFileException left) {
            report(pid + " got token " + token + " while " + holder + " was just leaving " + mark);
        }
    }

    /** A process that was killed may be a zombie for a moment; one that was killed before it wrote its id is dead. */
    private static boolean isDead(String holder) throws IOException {
        if (holder.isEmpty()) {
            return true;
        }
        try {
            String stat = Files.readString(Path.of("/proc", holder, "stat"));
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state == 'Z' || state == 'X';
        } catch (NoSuchFileException gone) {
            return true;
        }
    }

    private void report(String overlap) throws IOException {
        Files.writeString(
                arena.resolve("overlaps"),
                overlap + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.APPEND);
    }
}
