package dev.holdfast.etcd;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A user, and the token that the server gave for the password. Tokens end, and then there is another; the old one stays until
 * then, so that nobody asks as nobody. Thread-safe.
 */
final class Login {
    private final String user;
    private final String password;
    private final ReentrantLock signingIn = new ReentrantLock();
    private volatile @Nullable String token;

    Login(String user, String password) {
        this.user = user;
        this.password = password;
    }

    String user() {
        return user;
    }

    String password() {
        return password;
    }

    /** The newest token, or null before the first. */
    @Nullable
    String token() {
        return token;
    }

    /**
     * Gets another token, unless somebody has got one since this one failed: of many who fail with it one signs in.
     *
     * @param failed null where there was none
     * @param signIn asks the server
     */
    String tokenAfter(@Nullable String failed, Call call, Supplier<String> signIn) {
        call.takeTurn(signingIn, "nobody could sign in in time");
        try {
            String known = token;
            if (known == null || known.equals(failed)) {
                known = signIn.get();
                token = known;
            }
            return known;
        } finally {
            signingIn.unlock();
        }
    }
}
