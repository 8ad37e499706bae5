package dev.holdfast.redis.wire;

import dev.holdfast.Credentials;
import org.jspecify.annotations.Nullable;

/** Whoever tells who logs in. */
@FunctionalInterface
interface CredentialsSource {
    /**
     * {@return the credentials of this moment; null if nobody has to log in}
     *
     * @throws BrokenConnection if they cannot be told by the deadline
     */
    @Nullable
    Credentials ask(Deadline deadline);
}
