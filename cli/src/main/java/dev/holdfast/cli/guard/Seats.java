package dev.holdfast.cli.guard;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.StoreUri;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where a command sits while it runs: a file for each lock of a file store, which the command's watchdog keeps locked.
 *
 * <p>A file store frees the locks of a dead process at once, and those of an evicted one too, while that one's command
 * may need a moment to be stopped. The next command starts only when its watchdog has the seat, so that the two never
 * run at the same time. Readers and holders of permits share the seat: a command of a lost permit may be seen for the moment
 * that stopping takes beside the one that got the permit. A store with leases needs no seats: its lock is free only when the watchdog has done its work.
 */
public final class Seats {
    private static final String DIRECTORY = "commands";
    private static final int LONGEST_READABLE = 200;

    private Seats() {}

    /** {@return the orders to a watchdog to take the seats of some locks; none if the store needs no seats} */
    public static List<String> orders(String url, List<String> names) {
        StoreUri uri = StoreUri.parse(url, Map.of(), null);
        if (!uri.scheme().equals("file")) {
            return List.of();
        }
        Path store = Path.of(uri.path().startsWith("///") ? uri.path().substring(2) : uri.path())
                .toAbsolutePath()
                .normalize();
        if (store.toString().indexOf('\n') >= 0) {
            throw new StoreMisconfiguredException("a directory with a line break in its name cannot be used");
        }
        try {
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(store);
            Path seats = make(store.resolve(DIRECTORY), rights);
            return names.stream()
                    .map(name -> umask(rights) + " " + seats.resolve(fileName(name)))
                    .toList();
        } catch (IOException unusable) {
            throw new StoreMisconfiguredException("'" + store + "' cannot be used: " + unusable.getMessage(), unusable);
        }
    }

    private static Path make(Path directory, Set<PosixFilePermission> rights) throws IOException {
        try {
            Files.createDirectory(directory);
            Files.setPosixFilePermissions(directory, rights);
        } catch (FileAlreadyExistsException usual) {
            return directory;
        }
        return directory;
    }

    /** Who may write to the directory may take a seat in it. */
    private static String umask(Set<PosixFilePermission> rights) {
        return (rights.contains(PosixFilePermission.GROUP_WRITE) ? "00" : "07")
                + (rights.contains(PosixFilePermission.OTHERS_WRITE) ? "0" : "7");
    }

    /** A lock's name as the name of a file. Two long names with one hash would wait for each other, nothing worse. */
    static String fileName(String name) {
        StringBuilder encoded = new StringBuilder("=");
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "-._".indexOf(c) >= 0) {
                encoded.append(c);
            } else {
                encoded.append(String.format("%%%02X", (int) c));
            }
        }
        return encoded.length() <= LONGEST_READABLE
                ? encoded.toString()
                : encoded.substring(0, LONGEST_READABLE) + "~" + Integer.toHexString(name.hashCode());
    }
}
