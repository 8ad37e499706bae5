package dev.holdfast.store.file;

import java.io.IOException;

/** The files contradict each other, and going on could grant a lock twice or repeat a token. */
final class DamagedException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedException(String message) {
        super(message);
    }
}
