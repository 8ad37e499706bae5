package dev.holdfast.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.redis.RedisNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two instances of the shop as real processes. The stock is in PostgreSQL; the locks are there too, or in Redis. */
class ShopTest {
    private static final int PIECES = 60;

    @RegisterExtension
    final Rig rig = new Rig();

    private final ExecutorService customers = Executors.newCachedThreadPool();
    private final SlowPayment slow = new SlowPayment();
    private final SlowPayment stuck = new SlowPayment();
    private HttpServer bank;
    private DatabaseServer database;

    @BeforeEach
    void startBankAndDatabase() throws IOException, InterruptedException {
        bank = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        bank.setExecutor(customers);
        bank.createContext("/", exchange -> {
            String query = exchange.getRequestURI().getQuery();
            if (query.endsWith("=slow")) {
                slow.take();
            } else if (query.endsWith("=stuck")) {
                stuck.take();
            }
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        bank.start();
        database = Postgres.start(rig);
    }

    @AfterEach
    void stopBank() {
        slow.done.countDown();
        stuck.done.countDown();
        bank.stop(0);
        customers.shutdownNow();
    }

    @Test
    void shopWithLocksInItsDatabase() throws InterruptedException, ExecutionException, IOException, SQLException {
        sellsNeverTooMuch(List.of());
    }

    @Test
    void shopWithLocksInRedis() throws InterruptedException, ExecutionException, IOException, SQLException {
        sellsNeverTooMuch(List.of("--holdfast.url=" + RedisNode.start(rig).url()));
    }

    private void sellsNeverTooMuch(List<String> store)
            throws InterruptedException, ExecutionException, IOException, SQLException {
        List<String> properties = new ArrayList<>(List.of(
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password(),
                "--shop.payment-url=http://127.0.0.1:" + bank.getAddress().getPort() + "/pay"));
        properties.addAll(store);
        ShopInstance first = ShopInstance.start(rig, properties);
        properties.add("--management.endpoint.locks.access=unrestricted");
        ShopInstance second = ShopInstance.start(rig, properties);
        fill("book", PIECES);
        fill("sofa", 2);
        fill("lamp", 2);
        fill("chair", PIECES);

        bothSellAndNothingIsSoldTwice(first, second);
        evictionNeedsAccessAndTheCustomerIsTold(first, second);
        staleWriteIsRefused(first, second);
        oneIsKilledAndTheOtherGoesOn(first, second);
    }

    private void bothSellAndNothingIsSoldTwice(ShopInstance first, ShopInstance second)
            throws InterruptedException, ExecutionException, SQLException {
        AtomicInteger sold = new AtomicInteger();
        List<Future<?>> hammering = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            ShopInstance instance = i % 2 == 0 ? first : second;
            hammering.add(customers.submit(() -> {
                int own = 0;
                while (instance.order("book", "quick").status() == 200) {
                    own++;
                }
                return sold.addAndGet(own);
            }));
        }
        for (Future<?> each : hammering) {
            each.get();
        }
        assertThat(sold).hasValue(PIECES);
        assertThat(number("select pieces from stock where item = 'book'")).isZero();
        assertThat(number("select count(*) from sale where item = 'book'")).isEqualTo(PIECES);
        assertThat(number("select count(distinct token) from sale where item = 'book'"))
                .isEqualTo(PIECES);
    }

    /** A payment hangs, and an operator takes the lock away; only the second instance lets him. */
    private void evictionNeedsAccessAndTheCustomerIsTold(ShopInstance first, ShopInstance second)
            throws InterruptedException, ExecutionException, IOException, SQLException {
        Future<ShopInstance.Answer> answer = customers.submit(() -> first.order("sofa", "stuck"));
        stuck.asked.await();
        assertThat(first.delete("/actuator/locks/stock:sofa?reason=stuck").status())
                .isEqualTo(405);
        assertThat(second.delete("/actuator/locks/stock:sofa").status()).isEqualTo(400);
        assertThat(second.delete("/actuator/locks/stock:sofa?reason=stuck&token=1")
                        .text())
                .contains("\"holders\":0");
        assertThat(second.get("/actuator/locks/stock:sofa").text()).contains("shop@");
        ShopInstance.Answer evicted = second.delete("/actuator/locks/stock:sofa?reason=stuck");
        assertThat(evicted.status()).isEqualTo(200);
        assertThat(evicted.text()).contains("\"name\":\"stock:sofa\"", "\"holders\":1");
        assertThat(second.order("sofa", "quick").status()).isEqualTo(200);
        stuck.done.countDown();
        assertThat(answer.get().status()).isEqualTo(503);
        assertThat(number("select pieces from stock where item = 'sofa'")).isEqualTo(1);
    }

    /** The first instance stands still during a payment for longer than its lease; the second sells meanwhile. */
    private void staleWriteIsRefused(ShopInstance first, ShopInstance second)
            throws InterruptedException, ExecutionException, IOException, SQLException {
        Future<ShopInstance.Answer> answer = customers.submit(() -> first.order("lamp", "slow"));
        slow.asked.await();
        assertThat(second.get("/actuator/locks?prefix=stock:").text())
                .contains("stock:lamp", "\"label\":\"Shop.sell\"", "shop@");
        assertThat(second.get("/actuator/locks/stock:lamp").text()).contains("\"kind\":\"EXCLUSIVE\"");
        assertThat(second.get("/actuator/locks").status()).isEqualTo(200);
        first.server().pause();
        assertThat(second.order("lamp", "quick").status()).isEqualTo(200);
        slow.done.countDown();
        first.server().resume();
        assertThat(answer.get().status()).isEqualTo(503);
        assertThat(answer.get().text()).contains("StaleWriteException").contains("has seen a larger token");
        assertThat(number("select pieces from stock where item = 'lamp'")).isEqualTo(1);
        assertThat(number("select count(*) from sale where item = 'lamp' and customer = 'slow'"))
                .isZero();
    }

    private void oneIsKilledAndTheOtherGoesOn(ShopInstance first, ShopInstance second)
            throws InterruptedException, ExecutionException, SQLException {
        Future<?> doomed = customers.submit(() -> {
            while (first.order("chair", "quick").status() == 200) {
                continue;
            }
            return null;
        });
        Awaitility.await().until(() -> number("select pieces from stock where item = 'chair'") < PIECES - 3);
        first.server().kill();
        Future<Integer> surviving = customers.submit(() -> {
            int sold = 0;
            while (second.order("chair", "patient").status() == 200) {
                sold++;
            }
            return sold;
        });
        assertThat(surviving.get()).isPositive();
        assertThat(doomed).failsWithin(java.time.Duration.ofMinutes(1));
        assertThat(number("select pieces from stock where item = 'chair'")).isZero();
        assertThat(number("select count(*) from sale where item = 'chair'")).isEqualTo(PIECES);
    }

    /** A payment that takes as long as the test wants. */
    private static final class SlowPayment {
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch done = new CountDownLatch(1);

        void take() {
            asked.countDown();
            try {
                done.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void fill(String item, int pieces) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("insert into stock values ('" + item + "', " + pieces + ", 0)");
        }
    }

    private int number(String query) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return result.getInt(1);
        }
    }
}
