package dev.holdfast.store.file;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;

/** Opens {@code file:DIR}: locks between the processes of one machine. */
public final class FileStoreProvider implements StoreProvider {

    /** Made by {@link java.util.ServiceLoader}. */
    public FileStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("file");
    }

    @Override
    public Set<String> options() {
        return Set.of();
    }

    @Override
    public LockStore open(StoreUri uri, StoreContext context) {
        return new FileStore(directoryOf(uri.path()), context);
    }

    private static Path directoryOf(String written) {
        String path = written;
        if (written.startsWith("//")) {
            if (!written.startsWith("///")) {
                throw new StoreMisconfiguredException("'file:" + written + "' names another host; the file store works"
                        + " on one machine: write file:DIR or file:///DIR with a local directory");
            }
            path = written.substring(2);
        }
        if (path.isBlank()) {
            throw new StoreMisconfiguredException(
                    "the file store needs a directory, such as file:/var/lib/myapp/locks");
        }
        if (path.equals("~") || path.startsWith("~/")) {
            throw new StoreMisconfiguredException(
                    "'file:" + written + "': '~' is not expanded in a URL; write the whole path of the directory");
        }
        try {
            return Path.of(path).toAbsolutePath().normalize();
        } catch (InvalidPathException invalid) {
            throw new StoreMisconfiguredException(
                    "the directory of the file store is not a valid path: " + invalid.getReason(), invalid);
        }
    }
}
