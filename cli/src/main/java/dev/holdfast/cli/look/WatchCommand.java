package dev.holdfast.cli.look;

import dev.holdfast.Holdfast;
import dev.holdfast.LockView;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.console.Printable;
import dev.holdfast.cli.console.Table;
import dev.holdfast.cli.console.Terminal;
import dev.holdfast.cli.console.Who;
import dev.holdfast.cli.event.Event;
import dev.holdfast.cli.event.Mailbox;
import dev.holdfast.cli.event.Signals;
import dev.holdfast.cli.store.LockNames;
import dev.holdfast.cli.store.StoreOption;
import dev.holdfast.cli.store.Stores;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast watch}. */
@Command(
        name = "watch",
        sortOptions = false,
        description = "Shows holders and waiters again and again, until Ctrl-C.",
        footer = {
            "",
            "Examples:",
            "  holdfast watch",
            "  holdfast watch orders/ --interval 500ms",
            "  holdfast watch --json --count 60 >> locks.jsonl"
        })
public final class WatchCommand implements Callable<Integer> {
    private static final int MOST_NAMES = 10_000;
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(100);
    private static final String REDRAW = "\u001b[H\u001b[J";

    private final Terminal terminal;
    private final Mailbox mailbox = new Mailbox();

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private LookOptions look = new LookOptions();

    @Option(names = "--interval", paramLabel = "DURATION", description = "Time between two looks. Default: 1s.")
    private Duration interval = Duration.ofSeconds(1);

    @Option(names = "--count", paramLabel = "N", description = "End after N looks. Default: never.")
    private long count = Long.MAX_VALUE;

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "Only names that begin with this.")
    private String prefix = "";

    public WatchCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return Stores.use(store.url(), choice -> {
            if (interval.compareTo(SHORTEST_INTERVAL) < 0) {
                throw new IllegalArgumentException("--interval must be at least " + Durations.exact(SHORTEST_INTERVAL)
                        + ", but was " + Durations.exact(interval));
            }
            if (count < 1) {
                throw new IllegalArgumentException("--count must be at least 1, but was " + count);
            }
            Signals.handle(mailbox::add);
            try (Holdfast client = Stores.connectAsUser(choice)) {
                return watch(client);
            }
        });
    }

    private int watch(Holdfast client) {
        for (long looks = 1; looks < count && !System.out.checkError(); looks++) {
            draw(client);
            Optional<Event.Signalled> signal = rest();
            if (signal.isPresent()) {
                return signal.get().name().equals("INT")
                        ? Exit.OK
                        : Exit.SIGNAL + signal.get().number();
            }
        }
        draw(client);
        return Exit.OK;
    }

    private void draw(Holdfast client) {
        List<LockView> views = client.list(LockNames.check(prefix), MOST_NAMES);
        if (!look.json()) {
            String now = LocalTime.now(ZoneId.systemDefault())
                    .truncatedTo(ChronoUnit.SECONDS)
                    .format(DateTimeFormatter.ISO_LOCAL_TIME);
            System.out.println((terminal.isTerminal() ? REDRAW : "") + now + "  " + summary(views));
        }
        look.print(views, table(views), terminal);
    }

    private Optional<Event.Signalled> rest() {
        try {
            return mailbox.poll(interval) instanceof Event.Signalled signal ? Optional.of(signal) : Optional.empty();
        } catch (InterruptedException impossible) {
            throw new IllegalStateException("nobody interrupts this thread", impossible);
        }
    }

    private static String summary(List<LockView> views) {
        int waiters = views.stream().mapToInt(view -> view.waiters().size()).sum();
        return views.size()
                + (views.size() == 1 ? " lock, " : " locks, ")
                + waiters
                + (waiters == 1 ? " waiter" : " waiters");
    }

    private static Table table(List<LockView> views) {
        Table table = new Table(Set.of("NAME", "WHO"), "NAME", "STATE", "WHO", "TOKEN", "FOR");
        for (LockView view : views) {
            String name = Printable.of(view.name());
            for (LockView.Holder holder : view.holders()) {
                String who = Who.of(holder.clientName(), holder.label());
                table.add(name, "holds", who, Long.toString(holder.token()), Durations.age(holder.heldFor()));
            }
            int place = 1;
            for (LockView.Waiter waiter : view.waiters()) {
                String who = Who.of(waiter.clientName(), waiter.label());
                table.add(name, "waits " + place++, who, "-", Durations.age(waiter.waitingFor()));
            }
        }
        return table;
    }
}
