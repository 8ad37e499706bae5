package dev.holdfast.etcd;

import org.jspecify.annotations.Nullable;

/** A user, and the token that the server gave for the password; tokens end, and then there is another. Thread-safe. */
final class Login {
    private final String user;
    private final String password;
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

    @Nullable
    String token() {
        return token;
    }

    /** A request with a token that has ended is refused, also the one for another token. */
    void forgetToken() {
        token = null;
    }

    void got(String newToken) {
        token = newToken;
    }
}
