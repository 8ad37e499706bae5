package dev.holdfast.redis.wire;

import java.security.SecureRandom;
import java.util.Base64;

/** Names a client among all others: nobody else can guess its channel, nor meet it by chance. */
public final class ClientId {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 16;

    private ClientId() {}

    public static String mint() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
