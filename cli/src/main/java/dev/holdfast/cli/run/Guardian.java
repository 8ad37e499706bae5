package dev.holdfast.cli.run;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.cli.console.Complaint;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.event.Event;
import dev.holdfast.cli.event.Mailbox;
import dev.holdfast.cli.event.Signals;
import dev.holdfast.cli.guard.DeadlineFeed;
import dev.holdfast.cli.guard.LastResort;
import dev.holdfast.cli.guard.PipePair;
import dev.holdfast.cli.guard.Seats;
import dev.holdfast.cli.guard.Watchdog;
import dev.holdfast.cli.store.LockNames;
import dev.holdfast.cli.store.StoreChoice;
import dev.holdfast.cli.store.Stores;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Holds a lock for a process that it did not start: until that releases it, ends, or loses it. It runs in the background of
 * {@code holdfast acquire}, in a process group of its own. Its watchdog tells the owner of a loss even if this process is
 * stopped or killed. Used by one thread.
 */
final class Guardian {
    private static final String OWNER_PROPERTY = "holdfast.owner";
    private static final String PIPE_PROPERTY = "holdfast.guardian";
    private static final Duration PATIENCE_AT_START = Duration.ofSeconds(90);

    private final RunRequest request;
    private final StoreChoice choice;
    private final List<String> names;
    private final ProcessHandle owner;
    private final String onLoss;
    private final Mailbox mailbox = new Mailbox();

    private Guardian(RunRequest request, StoreChoice choice, ProcessHandle owner, String onLoss) {
        this.request = request;
        this.choice = choice;
        this.owner = owner;
        this.onLoss = onLoss;
        this.names = LockNames.split(request.names());
    }

    /** {@return the exit code, which somebody sees only if the lock was not granted} */
    static int execute(RunRequest request, @Nullable Long owner, String onLoss) {
        return Stores.use(request.url(), choice -> {
            choice.refuseToExcludeNobody();
            return new Guardian(request, choice, find(owner), onLoss).execute();
        });
    }

    private static ProcessHandle find(@Nullable Long given) {
        long process = given != null ? given : Long.parseLong(System.getProperty(OWNER_PROPERTY, "0"));
        return ProcessHandle.of(process)
                .orElseThrow(() -> new IllegalArgumentException("there is no process " + process
                        + " that the lock could belong to; name one with --for, such as --for $$"));
    }

    private int execute() {
        PipePair script = PipePair.inherited(PIPE_PROPERTY);
        Watchdog watchdog = Watchdog.connect(mailbox::add);
        Signals.handle(mailbox::add);
        owner.onExit().thenRun(() -> {
            mailbox.add(new Event.OwnerEnded());
            // Nobody waits for the lock any more.
            mailbox.add(Event.Signalled.TERM);
        });
        mailbox.beInterrupted();
        try (Holdfast client = Stores.connect(choice, request.lease())) {
            Optional<Lease> lease = obtain(client);
            Optional<Event.Signalled> signal = mailbox.beLeftAlone();
            if (signal.isPresent()) {
                lease.ifPresent(Lease::release);
                return Exit.SIGNAL + signal.get().number();
            }
            if (lease.isEmpty()) {
                return new Complaint(
                                "did not get '" + request.names() + "'" + Holders.of(client, names), Exit.NOT_OBTAINED)
                        .complain();
            }
            return guard(lease.get(), watchdog, script);
        } catch (InterruptedException ended) {
            return mailbox.beLeftAlone()
                    .map(signal -> Exit.SIGNAL + signal.number())
                    .orElse(Exit.INTERNAL);
        }
    }

    private Optional<Lease> obtain(Holdfast client) throws InterruptedException {
        LockOptions options =
                LockOptions.defaults().withLeaseTime(request.lease()).withLabel(request.label());
        DistributedLock lock = request.mode().lock(client, names, options);
        try (WaitingLine line = WaitingLine.show(client, names)) {
            if (request.patience().isEmpty()) {
                return Optional.of(lock.acquire());
            }
            Duration wait = request.patience().get();
            return wait.isZero() ? lock.tryAcquire() : lock.tryAcquire(wait);
        }
    }

    private int guard(Lease lease, Watchdog watchdog, PipePair script) throws InterruptedException {
        lease.onLost(reason -> mailbox.add(new Event.Lost(reason)));
        List<String> seats = Seats.orders(choice.url(), names);
        seats.forEach(seat -> watchdog.sit(seat, request.mode().isShared()));
        DeadlineFeed feed = new DeadlineFeed(lease, request.lease(), Duration.ZERO, watchdog);
        if (!isGuarded(lease, watchdog, feed, seats.size())) {
            watchdog.dismiss();
            lease.release();
            return new Complaint("the lock cannot be kept: the watchdog does not answer", Exit.INTERNAL).complain();
        }
        script.listen("holdfast-script", line -> mailbox.add(new Event.Released()), () -> {});
        String tokens =
                names.stream().map(name -> Long.toString(lease.token(name))).collect(Collectors.joining(","));
        System.out.println("granted " + tokens + " " + String.join(",", names));
        System.out.flush();
        return keep(lease, watchdog, script, feed);
    }

    /** Takes the seats of commands that are still being stopped, and has the watchdog know owner and deadline. */
    private boolean isGuarded(Lease lease, Watchdog watchdog, DeadlineFeed feed, int seats)
            throws InterruptedException {
        int missing = seats;
        long until = System.nanoTime() + PATIENCE_AT_START.toNanos();
        if (missing == 0) {
            watchdog.own(owner.pid(), onLoss);
        }
        while (System.nanoTime() - until < 0 && lease.isHeld()) {
            Event event = mailbox.poll(feed.pause());
            feed.feedNow();
            if (event instanceof Event.Seated && --missing == 0) {
                watchdog.own(owner.pid(), onLoss);
            } else if (event instanceof Event.Guarding) {
                return true;
            } else if (event instanceof Event.NoSeat || event instanceof Event.WatchdogDied) {
                return false;
            }
        }
        return false;
    }

    private int keep(Lease lease, Watchdog watchdog, PipePair script, DeadlineFeed feed) throws InterruptedException {
        while (true) {
            Event event = mailbox.poll(feed.pause());
            if (event instanceof Event.Released || event instanceof Event.OwnerEnded || isEnd(event)) {
                watchdog.dismiss();
                boolean held = lease.release();
                script.say(held ? "released" : "lost " + Losses.of(lease).explanation());
                return held ? Exit.OK : Exit.LOST;
            }
            if (event instanceof Event.Lost lost) {
                return lost(lost.reason(), watchdog);
            }
            if (event instanceof Event.Stopped || !lease.isHeld()) {
                return lost(Losses.of(lease), watchdog);
            }
            if (event instanceof Event.WatchdogDied) {
                return new Complaint(
                                "the watchdog was killed, so '" + request.names() + "' is given up and its owner told",
                                tellWithoutWatchdog(lease))
                        .complain();
            }
            feed.feed();
            if (event instanceof Event.Asked) {
                feed.feedNow();
            }
        }
    }

    /** The terminal's signals are for the script. */
    private static boolean isEnd(@Nullable Event event) {
        return event instanceof Event.Signalled signal && signal.name().equals("TERM");
    }

    private int lost(LossReason reason, Watchdog watchdog) {
        watchdog.lost();
        return new Complaint("lost '" + request.names() + "': " + reason.explanation(), Exit.LOST).complain();
    }

    private int tellWithoutWatchdog(Lease lease) throws InterruptedException {
        if (!onLoss.equals("none")) {
            LastResort.signal(owner.pid(), onLoss);
        }
        lease.release();
        return Exit.INTERNAL;
    }
}
