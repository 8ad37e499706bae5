package dev.holdfast.redis.wire;

import dev.holdfast.Credentials;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a program says about its connections that a URL cannot say: each part wins over the URL. Does not show secrets.
 * Immutable.
 *
 * @param credentials asked at each new connection to a server; null for those of the URL
 * @param sentinelCredentials the same for sentinels; null for what the options say
 * @param encryption how connections are encrypted; null for what the options say
 * @param mapping where a server is reached that calls itself otherwise; null for what the options say
 * @param program asks for the others, with one limit for all connections
 */
public record Access(
        @Nullable Supplier<@Nullable Credentials> credentials,
        @Nullable Supplier<@Nullable Credentials> sentinelCredentials,
        @Nullable Encryption encryption,
        @Nullable UnaryOperator<HostAndPort> mapping,
        ProgramCode program) {
    /** Nothing but the URL. */
    public static final Access BY_URL = new Access(null, null, null, null);

    public Access(
            @Nullable Supplier<@Nullable Credentials> credentials,
            @Nullable Supplier<@Nullable Credentials> sentinelCredentials,
            @Nullable Encryption encryption,
            @Nullable UnaryOperator<HostAndPort> mapping) {
        this(credentials, sentinelCredentials, encryption, mapping, new ProgramCode());
    }

    public Access withCredentials(Supplier<@Nullable Credentials> asked) {
        return new Access(asked, sentinelCredentials, encryption, mapping);
    }

    public Access withSentinelCredentials(Supplier<@Nullable Credentials> asked) {
        return new Access(credentials, asked, encryption, mapping);
    }

    public Access withEncryption(Encryption chosen) {
        return new Access(credentials, sentinelCredentials, chosen, mapping);
    }

    public Access withMapping(UnaryOperator<HostAndPort> chosen) {
        return new Access(credentials, sentinelCredentials, encryption, chosen);
    }
}
