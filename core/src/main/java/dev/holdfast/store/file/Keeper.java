package dev.holdfast.store.file;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import dev.holdfast.store.table.Standing;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The only thread that touches a client's files. An interrupt of the caller would close a file under its hands, and with
 * it drop the locks of the whole process; nobody can interrupt this thread.
 *
 * <p>It does what the callers ask for, many requests under one lock of the directory, and between requests it looks for
 * what others have done: when its bell rings, and now and then by itself. While a claim waits it also looks whether
 * those ahead are still alive, because the system tells nobody when a process dies.
 */
final class Keeper {
    private static final int MOST_TASKS_PER_STEP = 256;
    private static final long NEXT_IN_LINE_NANOS = Duration.ofMillis(40).toNanos();
    private static final long IN_LINE_NANOS = Duration.ofMillis(200).toNanos();
    private static final long WITHOUT_BELL_NANOS = Duration.ofMillis(50).toNanos();
    private static final long SELF_CHECK_NANOS = Liveness.SELF_CHECK.toNanos();
    private static final long AFTER_ERROR_NANOS = Duration.ofMillis(10).toNanos();

    private final Path path;
    private final StoreContext context;
    private final Queue<Task<?>> tasks = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean rung;
    private volatile boolean closing;

    // Everything below is of this thread alone.
    private @Nullable SharedTable table;
    private @Nullable Bell bell;
    private String bellOf = "";
    private boolean mayWait;

    /** The table may be half applied, and is yet to be let go of. */
    private boolean unfit;

    Keeper(Path path, StoreContext context) {
        this.path = path;
        this.context = context;
        this.thread = new SteadyThread(this::run, "holdfast-file-" + context.clientName());
        thread.start();
    }

    /** Has something done under the directory's lock and waits for it, up to the command timeout. */
    <R> R call(String operation, String lockName, Task.Work<R> work) {
        long deadline = now() + context.commandTimeout().toNanos();
        Task<R> task = new Task<>(work, deadline);
        tasks.add(task);
        LockSupport.unpark(thread);
        if (closing && task.cancel()) {
            throw Faults.closed(operation, lockName);
        }
        return task.await(context.clock(), operation, lockName);
    }

    /** Says that claims wait, so that those ahead have to be watched. */
    void watchThoseAhead() {
        mayWait = true;
    }

    /** Ends the session and the thread. */
    void close() {
        closing = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closing) {
                try {
                    pauseUntilNeeded();
                    rung = false;
                    turn(nextTasks());
                } catch (RuntimeException | Error broken) {
                    // Not even the failure could be dealt with: that is done in the next turn. Until the client closes,
                    // this thread must not end. Those who wait for an answer give up in time by themselves.
                    LockSupport.parkNanos(this, AFTER_ERROR_NANOS);
                }
            }
        } finally {
            closing = true;
            leave();
            for (List<Task<?>> late = nextTasks(); !late.isEmpty(); late = nextTasks()) {
                late.forEach(task -> task.fail(Faults.closedFiles()));
            }
        }
    }

    private void turn(List<Task<?>> batch) {
        try {
            if (unfit) {
                abandon();
            }
            if (batch.isEmpty()) {
                lookAround();
            } else {
                perform(batch);
            }
            tell();
            hangBell();
        } catch (RuntimeException | Error broken) {
            // The memory may be full, say. What was read may be half applied, so the next request begins anew.
            unfit = true;
            abandon();
            batch.forEach(task -> task.fail(new IllegalStateException("the file store failed", broken)));
            // Looked up only now: finding the logger opens every jar on the class path.
            System.getLogger("dev.holdfast")
                    .log(System.Logger.Level.ERROR, "the file store let go of '" + path + "' and begins anew", broken);
        }
    }

    private void pauseUntilNeeded() {
        long pause = pauseNanos();
        if (tasks.isEmpty() && !rung && !closing) {
            if (pause == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, pause);
            }
        }
    }

    private long pauseNanos() {
        SharedTable open = table;
        String session = open == null ? null : open.session();
        if (unfit) {
            return AFTER_ERROR_NANOS;
        }
        if (open == null || session == null) {
            return Long.MAX_VALUE;
        }
        long pause = bell == null ? WITHOUT_BELL_NANOS : SELF_CHECK_NANOS;
        if (mayWait) {
            Standing<String> standing = open.table().standing(session);
            mayWait = standing.waits();
            pause = mayWait ? Math.min(pause, standing.next() ? NEXT_IN_LINE_NANOS : IN_LINE_NANOS) : pause;
        }
        return pause;
    }

    private List<Task<?>> nextTasks() {
        List<Task<?>> batch = new ArrayList<>();
        for (Task<?> task = tasks.poll(); task != null; task = tasks.poll()) {
            if (task.begin()) {
                batch.add(task);
            }
            if (batch.size() == MOST_TASKS_PER_STEP) {
                break;
            }
        }
        return batch;
    }

    private void perform(List<Task<?>> batch) {
        try {
            SharedTable open = currentTable();
            long deadline = batch.get(0).deadlineNanos();
            open.step(deadline, () -> batch.forEach(task -> task.perform(open)));
            batch.forEach(Task::finish);
        } catch (IOException | RuntimeException failed) {
            batch.forEach(task -> task.fail(failed));
        }
    }

    /** Opens the directory, or another one in its place if it was deleted. */
    private SharedTable currentTable() throws IOException {
        SharedTable open = table;
        if (open != null && !open.isCurrent()) {
            abandon();
            open = null;
        }
        if (open == null) {
            open = SharedTable.open(path, context.clock(), this::sessionEnds);
            table = open;
        }
        return open;
    }

    private void lookAround() {
        SharedTable open = table;
        if (open == null) {
            return;
        }
        try {
            if (!open.isCurrent()) {
                abandon();
                return;
            }
            boolean seen = open.look();
            List<String> dead = deadAhead(open);
            if (!seen || !dead.isEmpty()) {
                open.step(now() + context.commandTimeout().toNanos(), () -> buryQuietly(open, dead));
            }
        } catch (IOException | RuntimeException failed) {
            // The callers' own requests report what is wrong; looking goes on at the next turn.
            return;
        }
    }

    private List<String> deadAhead(SharedTable open) throws IOException {
        String session = open.session();
        if (!mayWait || session == null) {
            return List.of();
        }
        Standing<String> standing = open.table().standing(session);
        Set<String> suspects = new LinkedHashSet<>(standing.holders());
        suspects.addAll(standing.waiters());
        return open.deadAmong(suspects);
    }

    private static void buryQuietly(SharedTable open, List<String> dead) {
        try {
            open.bury(dead);
        } catch (IOException fullDisk) {
            // Still dead at the next turn.
            return;
        }
    }

    /** The directory or the client's file in it was deleted, so others cannot know of this client any more. */
    private void abandon() {
        SharedTable open = table;
        if (open != null) {
            open.close();
        }
        table = null;
        unfit = false;
    }

    /** What the session held is lost. What waited in it may wait on in the next one. */
    private void sessionEnds(String session, List<Claim> waiting) {
        context.listener().sessionLost(session);
        for (Claim claim : waiting) {
            context.listener().retry(claim.parts().get(0).name(), claim.owner());
        }
    }

    /** Tells this client and wakes the others; holds no lock. */
    private void tell() {
        SharedTable open = table;
        if (open == null) {
            return;
        }
        StoreListener listener = context.listener();
        open.tellLostSession();
        Set<String> toWake = new LinkedHashSet<>();
        for (Replica.Notice notice : open.takeNotices()) {
            if (!notice.client().equals(open.session())) {
                toWake.add(notice.client());
            } else if (notice instanceof Replica.Notice.Granted granted) {
                listener.granted(granted.grants(), now());
            } else if (notice instanceof Replica.Notice.Wanted wanted) {
                listener.wanted(wanted.name(), wanted.epoch());
            } else if (notice instanceof Replica.Notice.Lost taken) {
                listener.lost(taken.name(), taken.owner(), taken.epoch(), taken.reason());
            } else if (notice instanceof Replica.Notice.Retry retry) {
                listener.retry(retry.name(), retry.owner());
            }
        }
        toWake.forEach(client -> Bell.ring(open.home(client)));
    }

    private void hangBell() {
        SharedTable open = table;
        String session = open == null ? null : open.session();
        if (open != null && session != null && !session.equals(bellOf)) {
            takeBellDown();
            bellOf = session;
            bell = Bell.hang(open.home(session), this::ring, thread.getName() + "-bell");
        }
    }

    private void ring() {
        rung = true;
        LockSupport.unpark(thread);
    }

    private void takeBellDown() {
        Bell hung = bell;
        bell = null;
        if (hung != null) {
            hung.close();
        }
    }

    private void leave() {
        takeBellDown();
        SharedTable open = table;
        table = null;
        if (open == null) {
            return;
        }
        try {
            if (!unfit) {
                open.step(now() + context.commandTimeout().toNanos(), () -> endQuietly(open));
            }
            for (Replica.Notice notice : open.takeNotices()) {
                Bell.ring(open.home(notice.client()));
            }
        } catch (IOException | RuntimeException unlockedAnyway) {
            // Closing frees the lock of the client's own file, which tells the others as well.
        } finally {
            open.close();
        }
    }

    private static void endQuietly(SharedTable open) {
        try {
            open.endSession();
        } catch (IOException fullDisk) {
            return;
        }
    }

    private long now() {
        return context.clock().nanos();
    }
}
