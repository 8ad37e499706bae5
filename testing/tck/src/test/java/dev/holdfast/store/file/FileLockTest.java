package dev.holdfast.store.file;

import dev.holdfast.tck.LockStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Everything that a program sees, on the file store; real processes share its directory. */
final class FileLockTest extends LockStoreContract {
    @TempDir
    static Path directory;

    @Override
    public String url() {
        return "file:" + directory;
    }
}
