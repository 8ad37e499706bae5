package dev.holdfast.jdbc.dialect;

import dev.holdfast.Credentials;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections through the driver of a URL. Immutable.
 *
 * @param url the URL as its driver knows it
 * @param credentials the user and password, if given apart from it
 */
public record DriverSource(String url, @Nullable Credentials credentials) implements ConnectionSource {
    @Override
    public Connection connect() throws SQLException {
        Properties properties = new Properties();
        if (credentials != null) {
            credentials.user().ifPresent(user -> properties.setProperty("user", user));
            properties.setProperty("password", credentials.password());
        }
        return DriverManager.getConnection(url, properties);
    }

    @Override
    public boolean isShared() {
        return false;
    }

    /** {@return nothing that could be a secret} */
    @Override
    public String toString() {
        return "DriverSource";
    }
}
