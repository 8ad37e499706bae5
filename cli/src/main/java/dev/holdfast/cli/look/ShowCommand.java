package dev.holdfast.cli.look;

import dev.holdfast.Holdfast;
import dev.holdfast.LockView;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.console.Printable;
import dev.holdfast.cli.console.Terminal;
import dev.holdfast.cli.console.Who;
import dev.holdfast.cli.store.LockNames;
import dev.holdfast.cli.store.StoreOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code holdfast show}. */
@Command(
        name = "show",
        sortOptions = false,
        description = "Shows who holds a lock, who waits for it, and its last eviction.",
        footer = {
            "",
            "Examples:",
            "  holdfast show orders/42",
            "  holdfast show --json orders/42 | jq -r '.holders[0].token'",
            "",
            "Exit code: 0 if somebody holds it or waits for it; 1 if it is free."
        })
public final class ShowCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private LookOptions look = new LookOptions();

    @Parameters(paramLabel = "NAME", description = "The lock.")
    private String name = "";

    public ShowCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return store.look(this::show);
    }

    private int show(Holdfast client) {
        Optional<LockView> view = client.inspect(LockNames.check(name));
        if (look.json()) {
            System.out.println(view.map(ViewJson::object).orElseGet(() -> ViewJson.free(name)));
        } else {
            lines(view).forEach(System.out::println);
        }
        boolean busy = view.isPresent()
                && !(view.get().holders().isEmpty() && view.get().waiters().isEmpty());
        return busy ? Exit.OK : Exit.NOTHING_THERE;
    }

    private List<String> lines(Optional<LockView> found) {
        List<String> lines = new ArrayList<>();
        String title = terminal.bold(Printable.of(name));
        if (found.isEmpty()) {
            return List.of(title + "  free");
        }
        LockView view = found.get();
        boolean free = view.holders().isEmpty() && view.waiters().isEmpty();
        lines.add(title + "  " + (free ? "free" : kind(view)));
        view.holders().forEach(holder -> lines.add("  held by  " + describe(view, holder)));
        int place = 1;
        for (LockView.Waiter waiter : view.waiters()) {
            lines.add(terminal.yellow("  waits " + place++) + "  " + Who.of(waiter.clientName(), waiter.label())
                    + " for " + Durations.age(waiter.waitingFor()) + units(view, waiter.units()));
        }
        view.lastEviction()
                .ifPresent(eviction -> lines.add(terminal.red("  evicted") + "  "
                        + Durations.age(eviction.ago()) + " ago by " + Printable.of(eviction.by()) + ": "
                        + Printable.of(eviction.reason())));
        return lines;
    }

    private static String kind(LockView view) {
        return switch (view.kind()) {
            case EXCLUSIVE -> "exclusive";
            case READ_WRITE -> "read/write";
            case SEMAPHORE -> "semaphore of " + view.capacity();
        };
    }

    private static String describe(LockView view, LockView.Holder holder) {
        return Who.of(holder.clientName(), holder.label())
                + " for " + Durations.age(holder.heldFor())
                + units(view, holder.units())
                + ", token " + holder.token()
                + holder.remaining()
                        .map(left -> ", " + Durations.age(left) + " left without renewal")
                        .orElse("");
    }

    private static String units(LockView view, int units) {
        return switch (view.kind()) {
            case EXCLUSIVE -> "";
            case READ_WRITE -> units == view.capacity() ? ", writing" : ", reading";
            case SEMAPHORE -> ", " + units + (units == 1 ? " permit" : " permits");
        };
    }
}
