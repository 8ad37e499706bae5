package dev.holdfast.cli.doctor;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreTraits;
import dev.holdfast.cli.console.Complaint;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.console.Terminal;
import dev.holdfast.cli.store.StoreChoice;
import dev.holdfast.cli.store.StoreOption;
import dev.holdfast.cli.store.Stores;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast doctor}. */
@Command(
        name = "doctor",
        sortOptions = false,
        description = "Connects to a store and says what it promises and what is dangerously configured.",
        footer = {
            "",
            "Takes and releases a lock whose name nobody else uses. Everything else is only read. A danger means that"
                    + " locks can be lost, or that two may hold one; a caution, that one more fault stops all locks, or"
                    + " that somebody may disturb them. Each is printed with what to do, and with a word for --ignore.",
            "",
            "Examples:",
            "  holdfast doctor redis://cache:6379",
            "  holdfast doctor --ignore persistence,login redis://cache:6379",
            "  holdfast doctor --json | jq '.findings[] | select(.level == \"danger\")'",
            "",
            "Exit code: 0 if nothing is dangerous; 1 if something is; 74 the store failed; 64 bad usage."
        })
public final class DoctorCommand implements Callable<Integer> {
    private static final int PINGS = 15;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String PREFIX = "holdfast-doctor/";
    private static final List<Examination> EXAMINATIONS = List.of(
            new FileExamination(),
            new RedisExamination(),
            new DatabaseExamination(),
            new EtcdExamination(),
            new ZooKeeperExamination());

    private final Terminal terminal;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Option(
            names = "--ignore",
            split = ",",
            paramLabel = "WORD",
            description = "Leave out what is known and wanted: words that stand in brackets behind an advice.")
    private List<String> ignored = List.of();

    @Mixin
    private StoreOption store = new StoreOption();

    @Parameters(arity = "0..1", paramLabel = "URL", description = "The same as --url.")
    private @Nullable String url;

    public DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (url != null && store.url() != null) {
            throw new IllegalArgumentException("the store is named twice; name it once, with or without --url");
        }
        return Stores.use(url != null ? url : store.url(), this::examine);
    }

    private int examine(StoreChoice choice) {
        choice.refuseToExcludeNobody();
        Findings findings = new Findings();
        StoreTraits traits = null;
        Report.Latency latency = null;
        Complaint complaint = null;
        try (Holdfast client = Stores.connectAsUser(choice)) {
            traits = client.traits();
            latency = latency(client);
            tryLock(client, findings);
        } catch (HoldfastException failed) {
            complaint = Complaint.of(failed, choice.url());
            if (complaint.code() == Exit.USAGE) {
                throw failed;
            }
        } catch (InterruptedException impossible) {
            throw new IllegalStateException("nobody interrupts this thread", impossible);
        }
        // A store that fails is examined all the more.
        look(Subject.of(choice), findings);
        List<Finding> told = findings.all().stream()
                .filter(each -> !ignored.contains(each.id()))
                .toList();
        print(new Report(traits, latency, told));
        if (complaint != null) {
            return complaint.complain();
        }
        return told.stream().anyMatch(each -> each.level() == Finding.Level.DANGER) ? Exit.NOTHING_THERE : Exit.OK;
    }

    private static void look(Subject subject, Findings findings) {
        Optional<Examination> examination = EXAMINATIONS.stream()
                .filter(each -> each.knows(subject.uri().scheme()))
                .findFirst();
        if (examination.isEmpty()) {
            findings.unknown("settings", "the settings of this kind of store are not looked at", "");
            return;
        }
        try {
            examination.get().examine(subject, findings);
        } catch (StoreMisconfiguredException unusable) {
            findings.unknown("settings", String.valueOf(unusable.getMessage()), "");
        } catch (RuntimeException senseless) {
            findings.unknown(
                    "settings",
                    "what the servers say of themselves makes no sense to us ("
                            + senseless.getClass().getSimpleName() + ")",
                    "look whether they are what the URL says");
        }
    }

    private void print(Report report) {
        if (json) {
            System.out.println(report.json());
        } else {
            report.lines(terminal).forEach(System.out::println);
        }
    }

    private static void tryLock(Holdfast client, Findings findings) throws InterruptedException {
        String name = PREFIX + UUID.randomUUID();
        Optional<Lease> lease = client.lock(name).tryAcquire(PATIENCE);
        boolean listed = lease.isPresent() && isListed(client, name, findings);
        boolean released = lease.isPresent() && lease.get().release();
        if (!released) {
            findings.danger(
                    "trial", "a lock that nobody else wants was not granted, or was lost at once", "look at the store");
        } else if (listed) {
            findings.ok("trial", "this user may take and release locks, and see those of others");
        }
    }

    private static boolean isListed(Holdfast client, String name, Findings findings) {
        try {
            if (client.list(name, 1).size() == 1) {
                return true;
            }
            findings.danger("trial", "a lock that is held is not listed", "look whether the URL leads to one store");
        } catch (HoldfastException refused) {
            findings.caution(
                    "trial",
                    "this user may take and release locks, but not list them",
                    "give the right to (the page of the store has the list), or ls, top and show do not work");
        }
        return false;
    }

    /** The first of them has to connect, so it does not count. */
    private static Report.Latency latency(Holdfast client) {
        client.ping();
        long[] nanos = new long[PINGS];
        for (int i = 0; i < PINGS; i++) {
            long begin = System.nanoTime();
            client.ping();
            nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        return new Report.Latency(nanos[PINGS / 2] / NANOS_PER_MICRO, nanos[PINGS - 1] / NANOS_PER_MICRO);
    }
}
