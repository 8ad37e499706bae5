package dev.holdfast.bench.ruler;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** The connections of those who bring no pool of their own: HikariCP as Spring Boot gives it, ten connections. */
final class Pool {
    private Pool() {}

    static HikariDataSource open(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        return new HikariDataSource(config);
    }
}
