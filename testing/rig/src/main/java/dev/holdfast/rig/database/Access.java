package dev.holdfast.rig.database;

import dev.holdfast.rig.Rig;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a database is and how to get in.
 *
 * @param jdbcUrl without user and password
 * @param user may do everything, at least in that database
 * @param password of the user
 */
public record Access(String jdbcUrl, String user, String password) {

    /**
     * Finds a server for tests that only talk to it: the one that the environment names, or one that is started. Tests
     * that stop or pause their server, or look into it, start one of their own.
     *
     * @param kind of server
     * @param rig in which one is started
     * @return how to reach it
     * @throws InterruptedException if interrupted
     * @throws IllegalArgumentException if the variable is set to something else than a JDBC URL with user and password
     */
    public static Access given(DatabaseKind kind, Rig rig) throws InterruptedException {
        String given = System.getenv(kind.environment());
        return given == null || given.isBlank()
                ? DatabaseServer.start(rig, kind, List.of()).access()
                : parse(kind, given);
    }

    /** {@return the URL with user and password} */
    public String jdbcUrlWithCredentials() {
        return jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + "user=" + encode(user) + "&password=" + encode(password);
    }

    /**
     * Opens a connection through the driver that the tests have brought along.
     *
     * @return the connection
     * @throws SQLException if there is none
     */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl, user, password);
    }

    /** Does not show the password. */
    @Override
    public String toString() {
        return user + " at " + jdbcUrl;
    }

    static Access parse(DatabaseKind kind, String given) {
        String scheme = kind.jdbcUrl(1).replaceFirst("//.*", "//");
        int query = given.indexOf('?');
        List<String> others = new ArrayList<>();
        String user = "";
        String password = "";
        for (String parameter :
                query < 0 ? new String[0] : given.substring(query + 1).split("&", -1)) {
            if (parameter.startsWith("user=")) {
                user = decode(parameter.substring("user=".length()));
            } else if (parameter.startsWith("password=")) {
                password = decode(parameter.substring("password=".length()));
            } else {
                others.add(parameter);
            }
        }
        if (!given.startsWith(scheme) || user.isEmpty()) {
            throw new IllegalArgumentException(
                    kind.environment() + " must read " + scheme + "HOST:PORT/DATABASE?user=USER&password=PASSWORD");
        }
        String rest = others.isEmpty() ? "" : "?" + String.join("&", others);
        return new Access(given.substring(0, query) + rest, user, password);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
