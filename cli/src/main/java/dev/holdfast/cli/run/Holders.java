package dev.holdfast.cli.run;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Who;
import java.util.List;

/** Who has a lock, as the end of a sentence. */
final class Holders {
    private Holders() {}

    /** {@return who has one of some locks; empty if the store cannot tell any more} */
    static String of(Holdfast client, List<String> names) {
        try {
            return names.stream()
                    .flatMap(name -> client.inspect(name).stream())
                    .flatMap(view -> view.holders().stream())
                    .findFirst()
                    .map(holder -> ": held by " + Who.of(holder.clientName(), holder.label()) + " for "
                            + Durations.age(holder.heldFor()))
                    .orElse("");
        } catch (HoldfastException silent) {
            return "";
        }
    }
}
