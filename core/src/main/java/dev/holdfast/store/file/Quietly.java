package dev.holdfast.store.file;

import java.io.Closeable;
import java.io.IOException;

/** Closes what nothing was written to that a failure could lose. */
final class Quietly {
    private Quietly() {}

    /** The system has freed the descriptor and its locks even where it reports an error. */
    static void close(Closeable resource) {
        try {
            resource.close();
        } catch (IOException closedAnyway) {
            return;
        }
    }
}
