package dev.holdfast.redis.wire;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.StoreUri;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who logs in, at servers and at sentinels. */
final class Logins {
    static final String LOGIN = "sentinelLogin";
    static final String USER = "sentinelUser";
    static final String PASSWORD = "sentinelPassword";
    static final Set<String> SENTINEL_OPTIONS = Set.of(LOGIN, USER, PASSWORD);

    private static final String SAME = "same";
    private static final String NONE = "none";

    private Logins() {}

    /** {@return what to ask for the credentials of a server} */
    static CredentialsSource forServers(Address address, Access access) {
        Supplier<@Nullable Credentials> asked = access.credentials();
        return asked != null ? byProgram(asked, access.program()) : fixed(address.user(), address.password());
    }

    /** {@return what to ask for those of a sentinel; by default a sentinel wants none} */
    static CredentialsSource forSentinels(StoreUri uri, Access access, CredentialsSource servers) {
        String login = uri.option(LOGIN).orElse(null);
        String user = uri.option(USER).orElse(null);
        String password = uri.option(PASSWORD).orElse(null);
        if (login != null && !login.equals(SAME) && !login.equals(NONE)) {
            throw new StoreMisconfiguredException(
                    "the option '" + LOGIN + "' must be '" + SAME + "' or '" + NONE + "'");
        }
        if (user != null && password == null) {
            throw new StoreMisconfiguredException("the option '" + USER + "' needs '" + PASSWORD + "'");
        }
        Supplier<@Nullable Credentials> asked = access.sentinelCredentials();
        int ways = (login == null ? 0 : 1) + (password == null ? 0 : 1) + (asked == null ? 0 : 1);
        if (ways > 1) {
            throw new StoreMisconfiguredException(
                    "credentials of sentinels are given twice: by '" + LOGIN + "', '" + PASSWORD + "' or in Java");
        }
        if (asked != null) {
            return byProgram(asked, access.program());
        }
        return SAME.equals(login) ? servers : fixed(user, password);
    }

    private static CredentialsSource byProgram(Supplier<@Nullable Credentials> asked, ProgramCode program) {
        return deadline -> program.ask("the credentials", asked, deadline);
    }

    private static CredentialsSource fixed(@Nullable String user, @Nullable String password) {
        Credentials always = password == null
                ? null
                : user == null ? Credentials.ofPassword(password) : Credentials.of(user, password);
        return deadline -> always;
    }
}
