package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import java.util.concurrent.Callable;
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
            "Example:",
            "  holdfast evict nightly --reason 'hangs since 2 a.m., ticket 4711'",
            "",
            "Exit code: 0 if a holder was evicted; 1 if nobody held it."
        })
final class EvictCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--reason", paramLabel = "TEXT", required = true, description = "Why; for those who ask later.")
    private String reason = "";

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Parameters(paramLabel = "NAME", description = "The lock.")
    private String name = "";

    @Override
    public Integer call() {
        return store.look(this::evict);
    }

    private int evict(Holdfast client) {
        int evicted = client.evict(LockNames.check(name), reason);
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
                        case 0 -> "Nobody holds " + Printable.of(name) + ".";
                        case 1 -> "Evicted the holder of " + Printable.of(name) + ".";
                        default -> "Evicted " + evicted + " holders of " + Printable.of(name) + ".";
                    });
        }
        return evicted > 0 ? Exit.OK : Exit.NOTHING_THERE;
    }
}
