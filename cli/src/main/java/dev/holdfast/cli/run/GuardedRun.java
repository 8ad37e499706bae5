package dev.holdfast.cli.run;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.cli.console.Complaint;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.event.Event;
import dev.holdfast.cli.event.Mailbox;
import dev.holdfast.cli.event.Signals;
import dev.holdfast.cli.guard.Runner;
import dev.holdfast.cli.guard.Seats;
import dev.holdfast.cli.guard.Watchdog;
import dev.holdfast.cli.store.LockNames;
import dev.holdfast.cli.store.StoreChoice;
import dev.holdfast.cli.store.Stores;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One {@code run}: waits for the lock, has the command supervised, and says how it ended. */
public final class GuardedRun {
    private final RunRequest request;
    private final StoreChoice choice;
    private final List<String> names;
    private final Term term;
    private final Mailbox mailbox = new Mailbox();

    private GuardedRun(RunRequest request, StoreChoice choice, Term term) {
        this.request = request;
        this.choice = choice;
        this.term = term;
        this.names = LockNames.split(request.names());
    }

    /** {@return the exit code} */
    public static int execute(RunRequest request) {
        return execute(request, Term.only());
    }

    /** The same as one of several terms of a candidate. */
    public static int execute(RunRequest request, Term term) {
        int code = Stores.use(request.url(), choice -> {
            choice.refuseToExcludeNobody();
            return new GuardedRun(request, choice, term).execute();
        });
        term.ended(code);
        return code;
    }

    private int execute() {
        term.endWithCandidate(mailbox::add);
        Watchdog watchdog = Watchdog.connect(mailbox::add);
        Runner runner = Runner.connect(mailbox::add);
        Signals.handle(mailbox::add);
        mailbox.beInterrupted();
        try (Holdfast client = Stores.connect(choice, request.lease())) {
            Optional<Lease> lease = obtain(client);
            Optional<Event.Signalled> signal = mailbox.beLeftAlone();
            if (signal.isPresent()) {
                lease.ifPresent(Lease::release);
                return interrupted(signal.get());
            }
            if (lease.isEmpty()) {
                return notObtained(client);
            }
            term.began();
            return report(
                    client,
                    new Supervision(
                                    request,
                                    names,
                                    Seats.orders(choice.url(), names),
                                    lease.get(),
                                    mailbox,
                                    watchdog,
                                    runner)
                            .supervise());
        } catch (InterruptedException ended) {
            return mailbox.beLeftAlone().map(GuardedRun::interrupted).orElse(Exit.INTERNAL);
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

    private static int interrupted(Event.Signalled signal) {
        return Exit.SIGNAL + signal.number();
    }

    private int notObtained(Holdfast client) {
        if (request.terms().skips()) {
            return request.terms().busyCode();
        }
        String waited = request.patience()
                .filter(wait -> !wait.isZero())
                .map(wait -> " within " + Durations.exact(wait))
                .orElse("");
        return new Complaint(
                        "did not get " + quoted() + waited + Holders.of(client, names),
                        request.terms().busyCode())
                .complain();
    }

    private int report(Holdfast client, Outcome outcome) {
        if (outcome instanceof Outcome.Ended ended) {
            return ended.status();
        }
        if (outcome instanceof Outcome.Interrupted) {
            return outcome.code();
        }
        if (outcome instanceof Outcome.TimeUp) {
            String most = request.terms().atMost().map(Durations::exact).orElse("");
            return new Complaint("stopped the command after " + most + " (--at-most)", outcome.code()).complain();
        }
        if (outcome instanceof Outcome.LockLost lost) {
            term.lost();
            String eviction = lost.reason() == LossReason.EVICTED ? eviction(client) : "";
            return new Complaint(
                            "lost " + quoted() + " while the command ran: "
                                    + lost.reason().explanation() + eviction,
                            lost.code())
                    .complain();
        }
        if (outcome instanceof Outcome.Silent) {
            term.lost();
            return new Complaint(
                            "gave up " + quoted()
                                    + " while the command ran: holdfast itself was stopped for longer than"
                                    + " the lease, so the command was stopped",
                            outcome.code())
                    .complain();
        }
        return new Complaint(((Outcome.Unprotected) outcome).sentence(), outcome.code()).complain();
    }

    /** Who took it away and why, if the store can still tell. */
    private String eviction(Holdfast client) {
        try {
            return names.stream()
                    .flatMap(name -> client.inspect(name).stream())
                    .flatMap(view -> view.lastEviction().stream())
                    .findFirst()
                    .map(last -> " by " + last.by() + ": " + last.reason())
                    .orElse("");
        } catch (HoldfastException silent) {
            return "";
        }
    }

    private String quoted() {
        return "'" + request.names() + "'";
    }
}
