package dev.holdfast.cli.store;

import dev.holdfast.Credentials;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The store that was chosen, and under which name to go there. Does not show the password.
 *
 * @param url the store
 * @param password its password from the configuration file; the library itself looks into the environment
 * @param client who we are, instead of user and host
 */
public record StoreChoice(String url, Optional<String> password, Optional<String> client) {
    private static final String MEMORY = "memory:";
    private static final String MYSQL = "jdbc:mysql:";
    private static final String MARIADB = "jdbc:mariadb:";
    private static final String MYSQL_DRIVER = "com.mysql.cj.jdbc.Driver";

    /** Chooses: the option, or else the environment, or else the file, or else files in a directory of one's own. */
    static StoreChoice of(@Nullable String option, Settings settings) {
        String url = Stores.url(option, settings);
        // A password in the file is for the store in the file.
        boolean fromFile =
                option == null && settings.file().get(Settings.Key.URL).equals(Optional.of(url));
        return new StoreChoice(
                url,
                fromFile ? settings.file().get(Settings.Key.PASSWORD) : Optional.empty(),
                settings.get(Settings.Key.CLIENT));
    }

    /**
     * Refuses a store that nobody else can see.
     *
     * @throws IllegalArgumentException if it is one
     */
    public void refuseToExcludeNobody() {
        if (url.regionMatches(true, 0, MEMORY, 0, MEMORY.length())) {
            throw new IllegalArgumentException(
                    "locks in memory: are seen by nobody but this process, so they would keep"
                            + " nobody out; use file:DIR, redis://, a database, ZooKeeper or etcd");
        }
    }

    @Nullable
    public Credentials credentials() {
        boolean given = !System.getenv()
                .getOrDefault(Settings.Key.PASSWORD.variable(), "")
                .isEmpty();
        return given ? null : password.map(Credentials::ofPassword).orElse(null);
    }

    /** {@return the URL as the drivers at hand know it: MariaDB's driver serves MySQL unless that has its own here} */
    public String driverUrl() {
        return driverUrl(url);
    }

    public static String driverUrl(String url) {
        return url.startsWith(MYSQL) && !isPresent(MYSQL_DRIVER) ? MARIADB + url.substring(MYSQL.length()) : url;
    }

    private static boolean isPresent(String driver) {
        try {
            Class.forName(driver, false, StoreChoice.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException missing) {
            return false;
        }
    }

    @Override
    public String toString() {
        return "StoreChoice";
    }
}
