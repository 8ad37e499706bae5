package dev.holdfast.cli.run;

import dev.holdfast.cli.console.Durations;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the usual forms of {@code run} without the parser, whose classes take longer to load than everything else does.
 * Whatever is unusual here (help, a mistake, an option given twice, another spelling) is left to the parser, which is the
 * one that explains; a test holds the two against each other.
 */
public final class PlainRun {
    private @Nullable String url;
    private @Nullable String names;
    private @Nullable String label;
    private @Nullable Duration patience;
    private @Nullable Duration lease;
    private @Nullable Duration grace;

    private PlainRun() {}

    /**
     * Reads what stands between {@code run} and {@code --}.
     *
     * @return the request; empty if the parser has to look at it
     */
    public static Optional<RunRequest> read(List<String> arguments, String commandName) {
        PlainRun run = new PlainRun();
        try {
            Iterator<String> rest = arguments.iterator();
            while (rest.hasNext()) {
                if (!run.take(rest.next(), rest)) {
                    return Optional.empty();
                }
            }
            return run.names == null ? Optional.empty() : Optional.of(run.request(run.names, commandName));
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    private boolean take(String argument, Iterator<String> rest) {
        if (!argument.startsWith("-")) {
            boolean first = names == null && !argument.isEmpty();
            names = argument;
            return first;
        }
        if (argument.equals("--no-wait")) {
            boolean first = patience == null;
            patience = Duration.ZERO;
            return first;
        }
        return rest.hasNext() && takeOption(argument, rest.next());
    }

    private boolean takeOption(String option, String value) {
        boolean first;
        switch (option) {
            case "--url" -> {
                first = url == null;
                url = value;
            }
            case "--label" -> {
                first = label == null;
                label = value;
            }
            case "--wait" -> {
                first = patience == null;
                patience = Durations.parse(value);
            }
            case "--lease" -> {
                first = lease == null;
                lease = Durations.parse(value);
            }
            case "--grace" -> {
                first = grace == null;
                grace = Durations.parse(value);
            }
            default -> first = false;
        }
        // The parser may take a value in quotes or one that looks like an option for something else.
        return first && !value.isEmpty() && !value.startsWith("-") && !value.startsWith("\"");
    }

    private RunRequest request(String given, String commandName) {
        return RunRequest.of(
                url,
                given,
                Optional.ofNullable(patience),
                lease,
                grace,
                RunRequest.label(label, commandName),
                LockMode.PLAIN,
                RunRequest.Terms.USUAL);
    }
}
