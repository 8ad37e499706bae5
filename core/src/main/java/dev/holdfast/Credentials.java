package dev.holdfast;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A user and a password for the store. Neither the password nor its length appears in {@link #toString()}. */
public final class Credentials {
    private final @Nullable String user;
    private final String password;

    private Credentials(@Nullable String user, String password) {
        this.user = user;
        this.password = Objects.requireNonNull(password, "password");
    }

    /**
     * Makes credentials with a user name.
     *
     * @param user the user
     * @param password the password
     * @return the credentials
     */
    public static Credentials of(String user, String password) {
        return new Credentials(Objects.requireNonNull(user, "user"), password);
    }

    /**
     * Makes credentials for stores that know a password but no user.
     *
     * @param password the password
     * @return the credentials
     */
    public static Credentials ofPassword(String password) {
        return new Credentials(null, password);
    }

    /** {@return the user, where one was given} */
    public Optional<String> user() {
        return Optional.ofNullable(user);
    }

    /** {@return the password} */
    public String password() {
        return password;
    }

    @Override
    public String toString() {
        return "Credentials[user=" + user + ", password=***]";
    }
}
