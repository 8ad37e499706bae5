package dev.holdfast.cli.top;

import dev.holdfast.cli.console.Complaint;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Keyboard;
import dev.holdfast.cli.console.Terminal;
import dev.holdfast.cli.store.LockNames;
import dev.holdfast.cli.store.StoreOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast top}. */
@Command(
        name = "top",
        sortOptions = false,
        description = "Shows all locks on a full screen: sort, filter, look at one, evict.",
        footer = {
            "",
            "Keys:",
            "  arrows, PgUp, PgDn, Home, End   move",
            "  /            filter by name or holder while typing; Esc ends the filter",
            "  n k h t s l w   sort by name, kind, holder, token, since, lease left, waiters",
            "  r            reverse the order",
            "  Enter        one lock with its holders and its line of waiters; Esc goes back",
            "  e            evict the holders; asks for a reason, then for a yes",
            "  q            leave",
            "",
            "It needs a terminal. Elsewhere use 'holdfast watch'.",
            "",
            "Examples:",
            "  holdfast top",
            "  holdfast top orders/ --interval 500ms"
        })
public final class TopCommand implements Callable<Integer> {
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(100);

    private final Terminal terminal;
    private final Keyboard keyboard;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--interval", paramLabel = "DURATION", description = "Time between two looks. Default: 1s.")
    private Duration interval = Duration.ofSeconds(1);

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "Only names that begin with this.")
    private String prefix = "";

    public TopCommand(Terminal terminal, Keyboard keyboard) {
        this.terminal = terminal;
        this.keyboard = keyboard;
    }

    @Override
    public Integer call() {
        if (!terminal.isTerminal() || !keyboard.present()) {
            return Complaint.usage("'top' needs a terminal; elsewhere use 'holdfast watch' or 'holdfast ls'", "top");
        }
        if (System.getenv().getOrDefault("TERM", "dumb").equals("dumb")) {
            return Complaint.usage("TERM says that this terminal has no full screen; use 'holdfast watch'", "top");
        }
        if (interval.compareTo(SHORTEST_INTERVAL) < 0) {
            return Complaint.usage(
                    "--interval must be at least " + Durations.exact(SHORTEST_INTERVAL) + ", but was "
                            + Durations.exact(interval),
                    "top");
        }
        LockNames.check(prefix);
        return store.look(client -> new TopSession(client, prefix, interval, terminal.colour()).run());
    }
}
