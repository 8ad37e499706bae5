package dev.holdfast.store.file;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import org.jspecify.annotations.Nullable;

/** What went wrong with a file, in the words of the API. */
final class Faults {
    private Faults() {}

    static HoldfastException of(String operation, String lockName, @Nullable Exception cause) {
        if (cause instanceof AccessDeniedException denied) {
            return new StoreMisconfiguredException(
                    "no permission to use '" + denied.getFile() + "'; choose a directory that this user may read and"
                            + " write, or change its rights",
                    denied);
        }
        if (cause instanceof FileSystemException refused && says(refused, "read-only")) {
            return new StoreMisconfiguredException(
                    "'" + refused.getFile() + "' is on a read-only file system; choose a directory that can be"
                            + " written",
                    refused);
        }
        if (cause instanceof FileSystemException refused
                && (says(refused, "not a directory") || says(refused, "too long") || says(refused, "symbolic links"))) {
            return new StoreMisconfiguredException(
                    "'" + refused.getFile() + "' cannot be made or reached (" + refused.getReason() + "); give the file"
                            + " store a directory of its own",
                    refused);
        }
        if (cause != null && (says(cause, "no space left") || says(cause, "quota"))) {
            IOException full = new IOException(
                    "the disk is full, nothing was changed; make room and try again: " + cause.getMessage(), cause);
            return new StoreUnavailableException(operation, lockName, full);
        }
        return new StoreUnavailableException(operation, lockName, cause);
    }

    static HoldfastException late(String operation, String lockName) {
        return new StoreUnavailableException(
                operation, lockName, new IOException("the directory did not answer within the command timeout"));
    }

    static HoldfastException closed(String operation, String lockName) {
        return new StoreUnavailableException(operation, lockName, closedFiles());
    }

    static IOException closedFiles() {
        return new IOException("the store is closed");
    }

    private static boolean says(Exception cause, String words) {
        String message = cause.getMessage();
        return message != null && message.toLowerCase(java.util.Locale.ROOT).contains(words);
    }
}
