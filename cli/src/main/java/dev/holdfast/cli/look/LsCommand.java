package dev.holdfast.cli.look;

import dev.holdfast.Holdfast;
import dev.holdfast.LockView;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.console.Printable;
import dev.holdfast.cli.console.Table;
import dev.holdfast.cli.console.Terminal;
import dev.holdfast.cli.console.Who;
import dev.holdfast.cli.store.LockNames;
import dev.holdfast.cli.store.StoreOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast ls}. */
@Command(
        name = "ls",
        sortOptions = false,
        description = "Lists locks that are held or waited for.",
        footer = {"", "Examples:", "  holdfast ls", "  holdfast ls orders/", "  holdfast ls --json | jq '.[].name'"})
public final class LsCommand implements Callable<Integer> {
    private static final int MOST_NAMES = 10_000;

    private final Terminal terminal;

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private LookOptions look = new LookOptions();

    @Option(
            names = {"-q", "--quiet"},
            description = "Print names only, one on each line.")
    private boolean quiet;

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "Only names that begin with this.")
    private String prefix = "";

    public LsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return store.look(this::list);
    }

    private int list(Holdfast client) {
        List<LockView> views = client.list(LockNames.check(prefix), MOST_NAMES);
        if (quiet && !look.json()) {
            views.forEach(view -> System.out.println(Printable.of(view.name())));
        } else if (!views.isEmpty() || look.json() || terminal.isTerminal()) {
            look.print(views, table(views), terminal);
        }
        if (views.size() == MOST_NAMES) {
            System.err.println("holdfast: only the first " + MOST_NAMES + " names are shown; give a prefix");
        }
        return Exit.OK;
    }

    private static Table table(List<LockView> views) {
        Table table = new Table(Set.of("NAME", "HOLDER"), "NAME", "HOLDER", "TOKEN", "HELD", "WAITING");
        for (LockView view : views) {
            String name = Printable.of(view.name());
            String waiting = Integer.toString(view.waiters().size());
            if (view.holders().isEmpty()) {
                table.add(name, "-", "-", "-", waiting);
            }
            for (LockView.Holder holder : view.holders()) {
                String who = Who.of(holder.clientName(), holder.label());
                table.add(name, who, Long.toString(holder.token()), Durations.age(holder.heldFor()), waiting);
            }
        }
        return table;
    }
}
