package dev.holdfast.examples.shop;

import dev.holdfast.HoldfastException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * The stock in the database. It remembers the largest token that it has seen of each item and refuses smaller ones: an
 * instance that was paused past its lease does not know that others have sold meanwhile, but its token is older than theirs.
 */
@Repository
public class Warehouse {
    private final JdbcTemplate jdbc;

    Warehouse(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Raises the token before it reads, so that no earlier holder can change what was read. */
    @Transactional
    public int count(String item, long token) {
        accepted(
                item,
                token,
                jdbc.update("update stock set fence = ? where item = ? and fence <= ?", token, item, token));
        Integer pieces = jdbc.queryForObject("select pieces from stock where item = ?", Integer.class, item);
        return pieces == null ? 0 : pieces;
    }

    /** Writes what is left, and the sale. */
    @Transactional
    public void handOut(String item, int left, String customer, long token) {
        accepted(
                item,
                token,
                jdbc.update("update stock set pieces = ? where item = ? and fence = ?", left, item, token));
        jdbc.update("insert into sale values (?, ?, ?)", item, customer, token);
    }

    private static void accepted(String item, long token, int rows) {
        if (rows == 0) {
            throw new StaleWriteException(item, token);
        }
    }

    /** A later holder of the lock has been here. */
    static final class StaleWriteException extends HoldfastException {
        private static final long serialVersionUID = 1L;

        StaleWriteException(String item, long token) {
            super("the stock of '" + item + "' has seen a larger token than " + token + ", or there is no such item");
        }
    }
}
