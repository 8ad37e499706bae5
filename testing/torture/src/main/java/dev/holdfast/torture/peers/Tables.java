package dev.holdfast.torture.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * The tables of libraries that do not make their own, on PostgreSQL, and the pool that Spring Boot would give them. The driver
 * gets the socket timeout that the pool's documentation recommends: without one a connection that a firewall has forgotten is
 * waited for until the operating system gives it up.
 */
final class Tables {
    private static final int SOCKET_TIMEOUT_SECONDS = 5;

    private Tables() {}

    static void create(String url) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            ScriptUtils.executeSqlScript(
                    connection, new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql"));
            statement.execute("CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP NOT NULL,"
                    + " locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL)");
        } catch (SQLException failed) {
            throw new IllegalStateException("the tables cannot be made", failed);
        }
    }

    static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        // As text: the driver overlooks numbers.
        config.addDataSourceProperty("socketTimeout", Integer.toString(SOCKET_TIMEOUT_SECONDS));
        return new HikariDataSource(config);
    }
}
