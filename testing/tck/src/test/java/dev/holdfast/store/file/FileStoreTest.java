package dev.holdfast.store.file;

import dev.holdfast.tck.StoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The steps of the file store. */
final class FileStoreTest extends StoreContract {
    @TempDir
    static Path directory;

    @Override
    public String url() {
        return "file:" + directory;
    }
}
