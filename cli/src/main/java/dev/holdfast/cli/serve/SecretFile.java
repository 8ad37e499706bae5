package dev.holdfast.cli.serve;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;

/**
 * What all instances of a server share. It is made on first use, so that one instance needs no set-up and finds its
 * leases again after a restart; instances on several machines need the same file.
 */
final class SecretFile {
    private static final int BYTES = 32;

    private SecretFile() {}

    /** {@return where the file is if nobody says it} */
    static Path usual(Map<String, String> environment) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        String home = environment.getOrDefault("HOME", "");
        if (!state.startsWith("/") && !home.startsWith("/")) {
            throw new IllegalArgumentException("there is no home directory to keep the server's secret in; set HOME or"
                    + " XDG_STATE_HOME, name a file with --secret-file, or set HOLDFAST_SERVER_SECRET");
        }
        Path directory = state.startsWith("/") ? Path.of(state) : Path.of(home, ".local", "state");
        return directory.resolve("holdfast-server").resolve("secret");
    }

    /** Reads the secret; makes it if there is none yet. Two that do so at once get the same one. */
    static byte[] readOrMake(Path file) {
        try {
            if (!Files.exists(file)) {
                make(file);
            }
            return read(file);
        } catch (IOException failed) {
            throw new CannotServeException(
                    "cannot read or make the secret file " + file + " ("
                            + failed.getClass().getSimpleName()
                            + "); name another one with --secret-file, or set HOLDFAST_SERVER_SECRET",
                    failed);
        }
    }

    private static byte[] read(Path file) throws IOException {
        String text = Files.readString(file).strip();
        if (text.length() < BYTES) {
            throw new IllegalArgumentException("the secret file " + file + " must have at least " + BYTES
                    + " characters; make one with: openssl rand -hex 32");
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void make(Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        Path whole = Files.createTempFile(
                directory,
                ".secret",
                "",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(whole, HexFormat.of().formatHex(random) + "\n", StandardOpenOption.WRITE);
            // A link appears whole, and never replaces what another process has made.
            Files.createLink(file, whole);
        } catch (FileAlreadyExistsException other) {
            // Another process was quicker: its secret counts.
            return;
        } finally {
            delete(whole);
        }
    }

    private static void delete(Path file) throws IOException {
        try {
            Files.delete(file);
        } catch (NoSuchFileException gone) {
            // That is what is wanted.
            return;
        }
    }
}
