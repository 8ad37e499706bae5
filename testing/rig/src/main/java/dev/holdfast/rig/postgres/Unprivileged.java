package dev.holdfast.rig.postgres;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.rig.database.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a program that refuses to run as root is run by root: in a user namespace, where root's files look like those of
 * the nameless user that it is there; or, where that is forbidden, as that user itself, who then has to own the files.
 *
 * @param prefix words before the command
 * @param uid who has to own the files, or null for whoever does
 */
record Unprivileged(List<String> prefix, @Nullable Integer uid) {
    private static final int NOBODY = 65_534;

    static Unprivileged find() throws InterruptedException {
        return Found.get();
    }

    /** A command in the other user's name. */
    List<String> command(String... words) {
        return Stream.concat(prefix.stream(), Stream.of(words)).toList();
    }

    /** Makes a directory and all in it the user's. */
    void own(Path directory) throws IOException {
        if (uid == null) {
            return;
        }
        List<Path> all;
        try (Stream<Path> found = Files.walk(directory)) {
            all = found.toList();
        }
        for (Path path : all) {
            Files.setAttribute(path, "unix:uid", uid);
        }
    }

    /** The first way that works here. */
    static Unprivileged choose(List<Unprivileged> ways) throws InterruptedException {
        for (Unprivileged way : ways) {
            if (Tool.works(way.command("true"))) {
                return way;
            }
        }
        throw new CannotRunException("PostgreSQL does not run as root, and neither unshare -U nor setpriv --reuid works"
                + " here; run the tests as another user.");
    }

    /** In a user namespace. */
    static Unprivileged inNamespace() {
        return new Unprivileged(List.of("unshare", "-U"), null);
    }

    /** As a user who owns the data and nothing else, and may pass through the directories above it all the same. */
    static Unprivileged asNobody() {
        String[] words = {
            "setpriv",
            "--reuid=" + NOBODY,
            "--regid=" + NOBODY,
            "--clear-groups",
            "--inh-caps=-all,+dac_override",
            "--ambient-caps=-all,+dac_override"
        };
        return new Unprivileged(List.of(words), NOBODY);
    }

    /** Looked for once. */
    private static final class Found {
        private static @Nullable Unprivileged way;

        private static synchronized Unprivileged get() throws InterruptedException {
            Unprivileged known = way;
            if (known == null) {
                known = isRoot() ? choose(List.of(inNamespace(), asNobody())) : new Unprivileged(List.of(), null);
                way = known;
            }
            return known;
        }

        private static boolean isRoot() {
            try {
                return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
            } catch (IOException | UnsupportedOperationException cannotTell) {
                return System.getProperty("user.name", "").equals("root");
            }
        }
    }
}
