package dev.holdfast.cli.look;

import dev.holdfast.Holdfast;
import dev.holdfast.LockView;
import dev.holdfast.cli.console.Complaint;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.console.Json;
import dev.holdfast.cli.console.Keyboard;
import dev.holdfast.cli.console.Printable;
import dev.holdfast.cli.console.Who;
import dev.holdfast.cli.store.LockNames;
import dev.holdfast.cli.store.StoreOption;
import dev.holdfast.spi.Grant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast evict}. */
@Command(
        name = "evict",
        sortOptions = false,
        description = "Takes a lock away from its holders by force.",
        footer = {
            "",
            "The holders are told, the command of a 'holdfast run' is stopped, and the next holder has a larger token."
                    + " Who did it and why is recorded and shown by 'holdfast show'.",
            "",
            "On a terminal it shows who holds the lock and asks first. Elsewhere it needs --yes.",
            "",
            "Examples:",
            "  holdfast evict nightly --reason 'hangs since 2 a.m., ticket 4711'",
            "  holdfast evict nightly --reason 'host is gone' --yes",
            "  holdfast evict nightly --reason 'host is gone' --yes --token 217583614377984",
            "",
            "Exit code: 0 if a holder was evicted; 1 if nobody held it (with that token), or the answer was no."
        })
public final class EvictCommand implements Callable<Integer> {
    private final Keyboard keyboard;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--reason", paramLabel = "TEXT", required = true, description = "Why; for those who ask later.")
    private String reason = "";

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "Evict only the holder with this token, as 'holdfast show' prints it; never a later one.")
    private @Nullable Long token;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    private boolean yes;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Parameters(paramLabel = "NAME", description = "The lock.")
    private String name = "";

    public EvictCommand(Keyboard keyboard) {
        this.keyboard = keyboard;
    }

    @Override
    public Integer call() {
        if (!yes && !keyboard.present()) {
            return Complaint.usage("there is no terminal to ask on, so say --yes if you are sure", "evict");
        }
        return store.look(this::evict);
    }

    private int evict(Holdfast client) {
        LockNames.check(name);
        if (reason.isBlank()) {
            throw new IllegalArgumentException("an eviction needs a reason");
        }
        if (!yes && isHeld(client) && !keyboard.confirms("Take " + Printable.of(name) + " away?")) {
            System.err.println("holdfast: nobody was evicted");
            return Exit.NOTHING_THERE;
        }
        return tell(token == null ? client.evict(name, reason) : client.evict(name, token, reason));
    }

    /** Shows who would be evicted, so that one knows what one agrees to. */
    private boolean isHeld(Holdfast client) {
        List<LockView.Holder> holders = client.inspect(name).map(LockView::holders).orElse(List.of()).stream()
                .filter(holder -> token == null || Grant.epochOf(holder.token()) == Grant.epochOf(token))
                .toList();
        holders.forEach(holder ->
                System.err.println(Printable.of(name) + " is held by " + Who.of(holder.clientName(), holder.label())
                        + " for " + Durations.age(holder.heldFor()) + ", token " + holder.token()));
        return !holders.isEmpty();
    }

    private String withToken() {
        return token == null ? "" : " with token " + token;
    }

    private int tell(int evicted) {
        if (json) {
            System.out.println(new Json()
                    .beginObject()
                    .key("name")
                    .value(name)
                    .key("evicted")
                    .value(evicted)
                    .endObject());
        } else {
            System.out.println(
                    switch (evicted) {
                        case 0 -> "Nobody holds " + Printable.of(name) + withToken() + ".";
                        case 1 -> "Evicted the holder of " + Printable.of(name) + ".";
                        default -> "Evicted " + evicted + " holders of " + Printable.of(name) + ".";
                    });
        }
        return evicted > 0 ? Exit.OK : Exit.NOTHING_THERE;
    }
}
