package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.LeaseLostException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The lock is outside of the transaction, on a real PostgreSQL that keeps both the data and the locks. */
class TransactionsTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static ConfigurableApplicationContext context;
    private static Holdfast locks;
    private static Stock stock;
    private static JdbcTemplate jdbc;

    @BeforeAll
    static void start() throws InterruptedException {
        DatabaseServer postgres = Postgres.start(rig);
        context = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + postgres.jdbcUrl(),
                        "spring.datasource.username=" + postgres.user(),
                        "spring.datasource.password=" + postgres.password(),
                        "spring.main.banner-mode=off")
                .run();
        locks = context.getBean(Holdfast.class);
        stock = context.getBean(Stock.class);
        jdbc = new JdbcTemplate(context.getBean(DataSource.class));
        jdbc.execute("create table stock (id int primary key, pieces int not null)");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @BeforeEach
    void fill() {
        jdbc.update("delete from stock");
        jdbc.update("insert into stock values (1, 10)");
    }

    @Test
    void lockIsReleasedAfterTheCommit() {
        List<String> order = stock.sell(1);
        assertThat(order).containsExactly("before commit: locked", "after commit: locked");
        assertThat(isFree()).isTrue();
        assertThat(pieces()).isEqualTo(9);
    }

    @Test
    void lockIsReleasedAfterTheRollback() {
        List<String> order = new ArrayList<>();
        assertThatThrownBy(() -> stock.sellAndFail(order)).hasMessage("sold out");
        assertThat(order).containsExactly("after rollback: locked");
        assertThat(isFree()).isTrue();
        assertThat(pieces()).isEqualTo(10);
    }

    @Test
    void nextHolderSeesWhatWasCommitted() throws InterruptedException, ExecutionException, TimeoutException {
        List<CompletableFuture<Void>> sellers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            sellers.add(CompletableFuture.runAsync(() -> {
                for (int n = 0; n < 5; n++) {
                    stock.sellByReadingAndWriting();
                }
            }));
        }
        for (CompletableFuture<Void> seller : sellers) {
            seller.get(60, TimeUnit.SECONDS);
        }
        assertThat(pieces()).isZero();
    }

    @Test
    void calledWithinATransactionTheLockIsKeptToItsEnd() {
        List<String> order = context.getBean(Office.class).sellTwice();
        assertThat(order).containsExactly("after the calls: locked", "after commit: locked");
        assertThat(isFree()).isTrue();
        assertThat(pieces()).isEqualTo(8);
    }

    @Test
    void transactionWhoseLockWasLostIsNotCommitted() {
        assertThatThrownBy(() -> stock.sellAndLoseTheLock()).isInstanceOf(LeaseLostException.class);
        assertThat(pieces()).isEqualTo(10);
        assertThatThrownBy(() -> context.getBean(Office.class).sellAndLoseTheLock())
                .isInstanceOf(LeaseLostException.class);
        assertThat(pieces()).isEqualTo(10);
        assertThat(isFree()).isTrue();
    }

    private static int pieces() {
        return jdbc.queryForObject("select pieces from stock where id = 1", Integer.class);
    }

    private static boolean isFree() {
        return locks.inspect("stock:1").map(view -> view.holders().isEmpty()).orElse(true);
    }

    private static String state() {
        return isFree() ? "free" : "locked";
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Stock.class, Office.class})
    static class App {}

    static class Stock {
        private final JdbcTemplate data;

        Stock(DataSource source) {
            this.data = new JdbcTemplate(source);
        }

        @Transactional
        @Locked(name = "stock:#{#id}")
        List<String> sell(int id) {
            data.update("update stock set pieces = pieces - 1 where id = ?", id);
            List<String> order = new ArrayList<>();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    order.add("before commit: " + state());
                }

                @Override
                public void afterCompletion(int status) {
                    order.add((status == STATUS_COMMITTED ? "after commit: " : "after rollback: ") + state());
                }
            });
            return order;
        }

        @Transactional
        @Locked(name = "stock:1")
        void sellAndFail(List<String> order) {
            data.update("update stock set pieces = pieces - 1 where id = 1");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    order.add((status == STATUS_COMMITTED ? "after commit: " : "after rollback: ") + state());
                }
            });
            throw new IllegalStateException("sold out");
        }

        @Transactional
        @Locked(name = "stock:1", waitFor = "1m")
        void sellByReadingAndWriting() {
            int left = data.queryForObject("select pieces from stock where id = 1", Integer.class);
            data.update("update stock set pieces = ? where id = 1", left - 1);
        }

        @Transactional
        @Locked(name = "stock:1")
        void sellAndLoseTheLock() {
            data.update("update stock set pieces = pieces - 1 where id = 1");
            locks.evict("stock:1", "test");
        }

        @Locked(name = "stock:1", waitFor = "1s")
        void sellInTheCallersTransaction() {
            data.update("update stock set pieces = pieces - 1 where id = 1");
        }
    }

    static class Office {
        private final Stock stock;

        Office(Stock stock) {
            this.stock = stock;
        }

        @Transactional
        List<String> sellTwice() {
            stock.sellInTheCallersTransaction();
            stock.sellInTheCallersTransaction();
            List<String> order = new ArrayList<>();
            order.add("after the calls: " + state());
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    order.add("after commit: " + state());
                }
            });
            return order;
        }

        @Transactional
        void sellAndLoseTheLock() {
            stock.sellInTheCallersTransaction();
            locks.evict("stock:1", "test");
        }
    }
}
