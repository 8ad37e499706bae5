package dev.holdfast.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.TestContext;
import dev.holdfast.jdbc.dialect.Connections;
import dev.holdfast.jdbc.dialect.DriverSource;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Sessions that live on without their client. */
final class OrphansTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int SESSIONS = 8;

    @Test
    void sessionThatCannotBeEndedIsNotInTheWayOfOthers() throws SQLException {
        Set<Object> ended = ConcurrentHashMap.newKeySet();
        AtomicReference<Object> obstinate = new AtomicReference<>();
        SessionLock lock = (SessionLock) Proxy.newProxyInstance(
                SessionLock.class.getClassLoader(), new Class<?>[] {SessionLock.class}, (proxy, method, arguments) -> {
                    // Whichever comes first is the one that cannot be ended.
                    obstinate.compareAndSet(null, arguments[0]);
                    if (arguments[0].equals(obstinate.get())) {
                        throw new StoreMisconfiguredException("not allowed");
                    }
                    ended.add(arguments[0]);
                    return null;
                });
        try (TestContext context = new TestContext();
                Connections connections =
                        new Connections(new DriverSource("jdbc:h2:mem:orphans", null, TIMEOUT), 1, TIMEOUT)) {
            Orphans orphans = new Orphans(context.context());
            for (int i = 1; i <= SESSIONS; i++) {
                Seat seat = new Seat(connections.stay());
                seat.isHeldBy(i, 0);
                orphans.add(TestContext.claim(TIMEOUT, "any").owner(), lock, seat);
                seat.visit().discard();
            }
            Awaitility.await().untilAsserted(() -> assertThat(ended).hasSize(SESSIONS - 1));
            orphans.close();
        }
    }
}
