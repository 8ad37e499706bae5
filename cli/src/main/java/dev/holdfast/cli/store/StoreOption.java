package dev.holdfast.cli.store;

import dev.holdfast.Holdfast;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the store, the same for every command. */
public final class StoreOption {
    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "The store, such as file:/var/lock/jobs or redis://host:6379. Without it HOLDFAST_URL, then the"
                            + " configuration file, then files in a directory of your own.")
    private @Nullable String url;

    @Nullable
    public String url() {
        return url;
    }

    /** Does something with a connection under the user's name. */
    public int look(ToIntFunction<Holdfast> action) {
        return Stores.use(url, chosen -> {
            try (Holdfast client = Stores.connectAsUser(chosen)) {
                return action.applyAsInt(client);
            }
        });
    }
}
