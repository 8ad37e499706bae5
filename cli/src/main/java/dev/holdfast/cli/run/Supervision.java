package dev.holdfast.cli.run;

import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.cli.event.Event;
import dev.holdfast.cli.event.Mailbox;
import dev.holdfast.cli.guard.BootClock;
import dev.holdfast.cli.guard.DeadlineFeed;
import dev.holdfast.cli.guard.LastResort;
import dev.holdfast.cli.guard.Runner;
import dev.holdfast.cli.guard.Watchdog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Starts a command under a lease and stays with it to the end. One thread takes one event after another.
 *
 * <p>The order at the start leaves no moment without protection: the command's process group exists but waits, the
 * watchdog knows it and a deadline, and only then the command is let go.
 */
final class Supervision {
    private static final Duration PATIENCE_AT_START = Duration.ofSeconds(90);
    private static final Duration PATIENCE_AT_STOP = Duration.ofSeconds(35);
    private static final Duration LONGEST_NAP = Duration.ofMillis(200);
    private static final Duration PATIENCE_AT_END = Duration.ofSeconds(2);

    private final RunRequest request;
    private final List<String> names;
    private final List<String> seats;
    private final Lease lease;
    private final Mailbox mailbox;
    private final Watchdog watchdog;
    private final Runner runner;
    private final DeadlineFeed feed;

    /** Until when the lock is kept at least, in {@link System#nanoTime()}. */
    private final long leastNanos;

    private int seatsToTake;
    private Event.@Nullable Grouped command;
    private boolean started;
    private boolean runnerEnded;

    /** The command's exit status; negative until it has ended. */
    private int exitStatus = -1;

    private @Nullable LossReason loss;
    private @Nullable String mishap;

    /** By when the next step must have been made, in {@link System#nanoTime()}; 0 while none is due. */
    private long dueNanos;

    /**
     * Prepares to supervise.
     *
     * @param names the locks, in the user's order
     * @param seats what the watchdog has to lock before the command may start
     */
    Supervision(
            RunRequest request,
            List<String> names,
            List<String> seats,
            Lease lease,
            Mailbox mailbox,
            Watchdog watchdog,
            Runner runner) {
        this.request = request;
        this.names = names;
        this.seats = seats;
        this.seatsToTake = seats.size();
        this.lease = lease;
        this.mailbox = mailbox;
        this.watchdog = watchdog;
        this.runner = runner;
        this.feed = new DeadlineFeed(lease, request.lease(), request.grace(), watchdog);
        this.leastNanos = System.nanoTime() + request.terms().atLeast().toNanos();
    }

    /** {@return how the command ended; the lease is released by then} */
    Outcome supervise() throws InterruptedException {
        lease.onLost(reason -> mailbox.add(new Event.Lost(reason)));
        watchdog.terms(request.grace(), request.lastWords());
        seats.forEach(seat -> watchdog.sit(seat, request.mode().isShared()));
        prepareIfSeated();
        due(PATIENCE_AT_START);
        Outcome outcome = untilDecided();
        watchdog.dismiss();
        if (outcome instanceof Outcome.Ended && lease.isHeld() && !isLeastTimeOver()) {
            letRunnerEnd();
            stay();
            mailbox.beImpatient(outcome.code());
            lease.release();
            return outcome;
        }
        mailbox.beImpatient(outcome.code());
        boolean held = lease.release();
        letRunnerEnd();
        return outcome instanceof Outcome.Ended && !held ? lost() : outcome;
    }

    private boolean isLeastTimeOver() {
        return System.nanoTime() - leastNanos >= 0;
    }

    /** The command has ended well; the lock is kept for others to see, until its time, a signal or its loss. */
    private void stay() throws InterruptedException {
        Event event = null;
        while (!isLeastTimeOver() && !(event instanceof Event.Signalled) && lease.isHeld()) {
            Duration left = Duration.ofNanos(leastNanos - System.nanoTime());
            event = mailbox.poll(left.compareTo(LONGEST_NAP) < 0 ? left : LONGEST_NAP);
        }
    }

    private Outcome untilDecided() throws InterruptedException {
        Optional<Outcome> outcome = Optional.empty();
        while (outcome.isEmpty()) {
            Event event = mailbox.poll(feed.pause());
            if (event != null) {
                outcome = on(event);
            } else if (dueNanos != 0 && System.nanoTime() - dueNanos > 0) {
                outcome = Optional.of(onNoStep());
            }
            if (outcome.isEmpty() && command != null && loss == null) {
                outcome = lease.isHeld() ? keepFeeding() : onLost(Losses.of(lease));
            }
        }
        return outcome.get();
    }

    private Optional<Outcome> keepFeeding() {
        feed.feed();
        return Optional.empty();
    }

    private Optional<Outcome> on(Event event) throws InterruptedException {
        if (event instanceof Event.Seated) {
            return onSeated();
        } else if (event instanceof Event.NoSeat) {
            return Optional.of(new Outcome.Unprotected("the command of an earlier holder does not end"));
        } else if (event instanceof Event.Grouped grouped) {
            return onGrouped(grouped);
        } else if (event instanceof Event.Guarding) {
            return onGuarding();
        } else if (event instanceof Event.Asked) {
            feed.feedNow();
        } else if (event instanceof Event.Resumed) {
            return onResumed();
        } else if (event instanceof Event.Signalled signal) {
            return onSignal(signal);
        } else if (event instanceof Event.Lost lost) {
            return onLost(lost.reason());
        } else if (event instanceof Event.Exited exited) {
            return onExited(exited.status());
        } else if (event instanceof Event.Dismissed && exitStatus >= 0) {
            return Optional.of(loss == null ? new Outcome.Ended(exitStatus) : lost());
        } else if (event instanceof Event.RunnerEnded) {
            return onRunnerEnded();
        } else if (event instanceof Event.WatchdogDied) {
            return Optional.of(onWatchdogDied());
        } else if (event instanceof Event.Stopped stopped) {
            return Optional.of(onStopped(stopped.why()));
        } else if (event instanceof Event.Stuck) {
            return Optional.of(new Outcome.Unprotected(
                    "the lock is lost, and some of the command's processes do not" + " die although they were killed"));
        }
        return Optional.empty();
    }

    private Outcome onStopped(Event.Stopped.Why why) {
        if (loss == null && why == Event.Stopped.Why.SILENCE) {
            return new Outcome.Silent();
        }
        return loss == null && why == Event.Stopped.Why.LIMIT ? new Outcome.TimeUp() : stopped();
    }

    private void prepareIfSeated() {
        if (seatsToTake == 0) {
            runner.prepare();
        }
    }

    private Optional<Outcome> onSeated() {
        seatsToTake--;
        prepareIfSeated();
        return Optional.empty();
    }

    private Optional<Outcome> onGrouped(Event.Grouped grouped) {
        command = grouped;
        feed.feedNow();
        watchdog.guard(grouped);
        return Optional.empty();
    }

    private Optional<Outcome> onGuarding() {
        if (!lease.isHeld()) {
            return onLost(Losses.of(lease));
        }
        request.terms().atMost().ifPresent(most -> watchdog.limit(BootClock.ticks() + BootClock.ticks(most)));
        runner.go(names.stream().map(name -> Long.toString(lease.token(name))).toList(), names);
        started = true;
        dueNanos = 0;
        return Optional.empty();
    }

    /** The command is stopped and goes on only if the watchdog has a deadline again that is still to come. */
    private Optional<Outcome> onResumed() {
        if (loss == null && lease.isHeld()) {
            feed.feedNow();
            runner.goOn();
        }
        return Optional.empty();
    }

    private Optional<Outcome> onSignal(Event.Signalled signal) {
        if (!started) {
            return Optional.of(new Outcome.Interrupted(signal));
        }
        watchdog.passOn(signal);
        return Optional.empty();
    }

    private Optional<Outcome> onLost(LossReason reason) {
        if (loss == null) {
            loss = reason;
            if (!started) {
                return Optional.of(lost());
            }
            haveStopped();
        }
        return Optional.empty();
    }

    /** Whether it was the watchdog that ended it is the watchdog's to say. */
    private Optional<Outcome> onExited(int status) {
        if (!started) {
            return Optional.of(new Outcome.Unprotected("the command could not be started"));
        }
        exitStatus = status;
        if (loss == null && mishap == null) {
            watchdog.dismiss();
            due(PATIENCE_AT_STOP);
        }
        return Optional.empty();
    }

    private Optional<Outcome> onRunnerEnded() {
        runnerEnded = true;
        if (!started) {
            return Optional.of(new Outcome.Unprotected("the command could not be started"));
        }
        if (loss == null && mishap == null && exitStatus < 0) {
            mishap = "the process that waits for the command was killed, so the command was stopped";
            haveStopped();
        }
        return Optional.empty();
    }

    private Outcome onWatchdogDied() throws InterruptedException {
        if (exitStatus >= 0 && loss == null) {
            return new Outcome.Ended(exitStatus);
        }
        if (command != null && started) {
            LastResort.stop(command.group(), loss == null ? request.grace() : request.lastWords());
        }
        mishap = "the watchdog was killed, so the command was stopped";
        return stopped();
    }

    /** Nobody does what was asked of him: the command must not stay without protection. */
    private Outcome onNoStep() throws InterruptedException {
        if (command != null && started) {
            LastResort.stop(command.group(), Duration.ZERO);
        }
        mishap = "the watchdog does not answer, so the command was stopped";
        return stopped();
    }

    private void haveStopped() {
        watchdog.lost();
        due(PATIENCE_AT_STOP);
    }

    private Outcome stopped() {
        return loss == null && mishap != null ? new Outcome.Unprotected(mishap) : lost();
    }

    private Outcome lost() {
        return new Outcome.LockLost(loss == null ? Losses.of(lease) : loss);
    }

    /** The runner gives the terminal back as its last act; the shell may have it only then. */
    private void letRunnerEnd() throws InterruptedException {
        runner.quit();
        due(PATIENCE_AT_END);
        while (!runnerEnded && System.nanoTime() - dueNanos < 0) {
            runnerEnded = mailbox.poll(PATIENCE_AT_END) instanceof Event.RunnerEnded;
        }
    }

    private void due(Duration patience) {
        dueNanos = System.nanoTime() + patience.toNanos();
    }
}
