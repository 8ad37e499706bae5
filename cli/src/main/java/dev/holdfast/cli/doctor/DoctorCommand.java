package dev.holdfast.cli.doctor;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreTraits;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.console.Json;
import dev.holdfast.cli.console.Printable;
import dev.holdfast.cli.console.Terminal;
import dev.holdfast.cli.store.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast doctor}. */
@Command(
        name = "doctor",
        sortOptions = false,
        description = "Connects to a store and says what it promises and what is dangerously configured.",
        footer = {
            "",
            "Takes and releases a lock whose name nobody else uses. Everything else is only read.",
            "",
            "Examples:",
            "  holdfast doctor redis://cache:6379",
            "  holdfast doctor --json | jq '.findings[] | select(.level == \"danger\")'",
            "",
            "Exit code: 0 if nothing is dangerous; 1 if something is; 74 the store failed; 64 bad usage."
        })
public final class DoctorCommand implements Callable<Integer> {
    private static final int PINGS = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final double NANOS_PER_MILLI = 1e6;
    private static final List<Examination> EXAMINATIONS =
            List.of(new FileExamination(), new RedisExamination(), new DatabaseExamination());

    private final Terminal terminal;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Parameters(
            arity = "0..1",
            paramLabel = "URL",
            description = "The store. Default: as for the other commands without --url.")
    private @Nullable String url;

    public DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return Stores.use(url, choice -> {
            List<Finding> findings = new ArrayList<>();
            StoreTraits traits;
            double millis;
            try (Holdfast client = Stores.connectAsUser(choice)) {
                traits = client.traits();
                millis = latencyMillis(client);
                findings.add(mayLock(client));
            } catch (InterruptedException impossible) {
                throw new IllegalStateException("nobody interrupts this thread", impossible);
            }
            EXAMINATIONS.stream()
                    .filter(each -> each.knows(choice.url()))
                    .findFirst()
                    .ifPresentOrElse(
                            each -> findings.addAll(each.examine(choice)),
                            () -> findings.add(
                                    Finding.unknown("the settings of this kind of store are not looked at", "")));
            if (json) {
                System.out.println(json(traits, millis, findings));
            } else {
                lines(traits, millis, findings).forEach(System.out::println);
            }
            return findings.stream().anyMatch(each -> each.level() == Finding.Level.DANGER)
                    ? Exit.NOTHING_THERE
                    : Exit.OK;
        });
    }

    private static Finding mayLock(Holdfast client) throws InterruptedException {
        Optional<Lease> lease =
                client.lock("holdfast-doctor/" + UUID.randomUUID()).tryAcquire(PATIENCE);
        boolean released = lease.isPresent() && lease.get().release();
        return released
                ? Finding.ok("this user may take and release locks")
                : Finding.danger(
                        "a lock that nobody else wants was not granted, or was lost at once", "look at the store");
    }

    /** The median, because the first one may have to connect. */
    private static double latencyMillis(Holdfast client) {
        long[] nanos = new long[PINGS];
        for (int i = 0; i < PINGS; i++) {
            long begin = System.nanoTime();
            client.ping();
            nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        return nanos[PINGS / 2] / NANOS_PER_MILLI;
    }

    private List<String> lines(StoreTraits traits, double millis, List<Finding> findings) {
        List<String> lines = new ArrayList<>();
        lines.add(terminal.bold("Promises"));
        traits.promises().stream().sorted().forEach(each -> lines.add("  yes  " + each.explanation()));
        traits.missing().stream().sorted().forEach(each -> lines.add("  no   " + each.explanation()));
        lines.add("  When a server fails or restarts: " + traits.failover());
        lines.add(terminal.bold("Findings"));
        lines.add("  ok       " + String.format(Locale.ROOT, "a round trip takes %.1f ms", millis));
        for (Finding each : findings) {
            String what = Printable.of(each.what());
            switch (each.level()) {
                case OK -> lines.add("  ok       " + what);
                case UNKNOWN -> lines.add(terminal.yellow("  unknown  ") + what);
                case DANGER -> lines.add(terminal.red("  DANGER   ") + what);
            }
            if (!each.advice().isEmpty()) {
                lines.add("           " + each.advice());
            }
        }
        return lines;
    }

    private static String json(StoreTraits traits, double millis, List<Finding> findings) {
        Json json = new Json().beginObject().key("promises").beginArray();
        traits.promises().stream()
                .sorted()
                .forEach(each -> json.value(each.name().toLowerCase(Locale.ROOT)));
        json.endArray().key("missing").beginArray();
        traits.missing().stream()
                .sorted()
                .forEach(each -> json.value(each.name().toLowerCase(Locale.ROOT)));
        json.endArray().key("failover").value(traits.failover());
        json.key("latencyMicros")
                .value(Math.round(millis * 1000))
                .key("findings")
                .beginArray();
        for (Finding each : findings) {
            json.beginObject().key("level").value(each.level().name().toLowerCase(Locale.ROOT));
            json.key("what")
                    .value(each.what())
                    .key("advice")
                    .value(each.advice())
                    .endObject();
        }
        return json.endArray().endObject().toString();
    }
}
