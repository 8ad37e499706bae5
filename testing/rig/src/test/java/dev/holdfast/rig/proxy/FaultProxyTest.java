package dev.holdfast.rig.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RespConnection;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import javax.net.SocketFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class FaultProxyTest {
    private static final Duration PATIENT = Duration.ofSeconds(10);
    private static final Duration IMPATIENT = Duration.ofSeconds(1);

    @RegisterExtension
    final Rig rig = new Rig();

    private RedisNode redis;
    private FaultProxy proxy;

    @BeforeEach
    void start() throws InterruptedException {
        redis = RedisNode.start(rig);
        proxy = FaultProxy.before(rig, redis.port());
    }

    @Test
    void passesEverythingAndCounts() throws IOException {
        try (RespConnection client = connect(PATIENT)) {
            assertThat(client.ask("ECHO", "x".repeat(200_000))).isEqualTo("x".repeat(200_000));
            // Counted when it has been passed on, so the answer may be here a moment before.
            await().until(() ->
                    proxy.bytes(Direction.TO_SERVER) > 200_000 && proxy.bytes(Direction.TO_CLIENT) > 200_000);
            assertThat(proxy.open()).isEqualTo(1);
        }
        await().until(() -> proxy.open() == 0);
        assertThat(proxy.accepted()).isEqualTo(1);
    }

    @Test
    void delaysBothWays() throws IOException {
        try (RespConnection client = connect(PATIENT)) {
            client.ask("PING");
            proxy.delay(Duration.ofMillis(100));
            long begin = System.nanoTime();
            assertThat(client.ask("PING")).isEqualTo("PONG");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
        }
    }

    @Test
    void blackHoleToTheServerKeepsTheRequestUntilHealed() throws IOException {
        try (RespConnection client = connect(IMPATIENT)) {
            client.ask("PING");
            proxy.blackHole(Direction.TO_SERVER);
            assertThatThrownBy(() -> client.ask("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
            assertThat(redis.ask("EXISTS", "k")).isEqualTo(0L);
            proxy.heal();
            await().until(() -> redis.ask("EXISTS", "k").equals(1L));
        }
    }

    @Test
    void abandonedConnectionIsDeadForGoodAndNewOnesWork() throws IOException {
        try (RespConnection dead = connect(IMPATIENT)) {
            dead.ask("PING");
            proxy.abandon();
            assertThatThrownBy(() -> dead.ask("SET", "k", "v")).isInstanceOf(SocketTimeoutException.class);
            proxy.heal();
            assertThatThrownBy(() -> dead.ask("PING")).isInstanceOf(SocketTimeoutException.class);
            try (RespConnection fresh = connect(PATIENT)) {
                assertThat(fresh.ask("PING")).isEqualTo("PONG");
            }
            assertThat(redis.ask("EXISTS", "k")).isEqualTo(0L);
        }
    }

    @Test
    void requestInABlackHoleArrivesEvenIfItsClientHasLeft() throws IOException {
        try (RespConnection client = connect(PATIENT)) {
            client.ask("PING");
            proxy.blackHole(Direction.TO_SERVER);
            client.send("SET", "k", "v");
        }
        proxy.heal();
        await().until(() -> redis.ask("EXISTS", "k").equals(1L));
    }

    @Test
    void blackHoleToTheClientKeepsTheReplyOfWhatWasDone() throws IOException {
        try (RespConnection client = connect(IMPATIENT)) {
            client.ask("PING");
            proxy.blackHole(Direction.TO_CLIENT);
            assertThatThrownBy(() -> client.ask("INCR", "n")).isInstanceOf(SocketTimeoutException.class);
            assertThat(redis.ask("GET", "n")).isEqualTo("1");
            proxy.heal();
            assertThat(client.reply()).isEqualTo(1L);
        }
    }

    @Test
    void cutLosesWhatWasHeld() throws IOException {
        try (RespConnection client = connect(PATIENT)) {
            client.ask("PING");
            proxy.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
            client.send("SET", "k", "v");
            proxy.cut();
            assertThatThrownBy(client::reply).isInstanceOf(IOException.class);
        }
        proxy.heal();
        try (RespConnection client = connect(PATIENT)) {
            assertThat(client.ask("EXISTS", "k")).isEqualTo(0L);
        }
    }

    @Test
    void cutEndsAndResetBreaksConnections() throws IOException {
        try (RespConnection cut = connect(PATIENT)) {
            cut.ask("PING");
            proxy.cut();
            assertThatThrownBy(cut::reply).isInstanceOf(EOFException.class);
        }
        try (RespConnection broken = connect(PATIENT)) {
            broken.ask("PING");
            proxy.reset();
            assertThatThrownBy(broken::reply)
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
        }
    }

    @Test
    void refusesNewConnectionsOnlyUntilHealed() throws InterruptedException, IOException {
        try (RespConnection early = connect(PATIENT)) {
            early.ask("PING");
            proxy.refuse();
            assertThatThrownBy(() -> connect(PATIENT)).isInstanceOf(ConnectException.class);
            assertThat(early.ask("PING")).isEqualTo("PONG");
        }
        proxy.heal();
        try (RespConnection late = connect(PATIENT)) {
            assertThat(late.ask("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void dropsTheReplyAfterTheServerHasDoneIt() throws IOException {
        proxy.dropReplies(1, request -> request.contains("INCR"));
        try (RespConnection client = connect(PATIENT)) {
            assertThat(client.ask("PING")).isEqualTo("PONG");
            assertThatThrownBy(() -> client.ask("INCR", "n")).isInstanceOf(EOFException.class);
        }
        await().until(() -> proxy.caught() == 1);
        assertThat(redis.ask("GET", "n")).isEqualTo("1");
        try (RespConnection again = connect(PATIENT)) {
            assertThat(again.ask("INCR", "n")).isEqualTo(2L);
        }
    }

    @Test
    void resetOnARequestKeepsItFromTheServer() throws IOException {
        proxy.resetOn(Direction.TO_SERVER, 2, request -> request.contains("INCR"));
        for (int i = 0; i < 2; i++) {
            try (RespConnection client = connect(PATIENT)) {
                assertThatThrownBy(() -> client.ask("INCR", "n")).isInstanceOf(SocketException.class);
            }
        }
        try (RespConnection client = connect(PATIENT)) {
            assertThat(client.ask("INCR", "n")).isEqualTo(1L);
        }
    }

    @Test
    void heldRequestIsOvertakenByOthers() throws IOException {
        proxy.hold(Direction.TO_SERVER, 1, request -> request.contains("first"));
        try (RespConnection slow = connect(PATIENT);
                RespConnection fast = connect(PATIENT)) {
            slow.send("RPUSH", "order", "first");
            await().until(() -> proxy.caught() == 1);
            assertThat(fast.ask("RPUSH", "order", "second")).isEqualTo(1L);
            proxy.heal();
            assertThat(slow.reply()).isEqualTo(2L);
        }
    }

    @Test
    void heldMessageOfASubscriptionComesLate() throws IOException {
        try (RespConnection subscriber = connect(IMPATIENT)) {
            subscriber.ask("SUBSCRIBE", "news");
            proxy.hold(Direction.TO_CLIENT, 1, message -> message.contains("hello"));
            redis.ask("PUBLISH", "news", "hello");
            await().until(() -> proxy.caught() == 1);
            assertThatThrownBy(subscriber::reply).isInstanceOf(SocketTimeoutException.class);
            proxy.heal();
            assertThat(subscriber.reply()).asString().contains("hello");
        }
    }

    @Test
    void clientOfADeadServerIsToldSo() throws InterruptedException, IOException {
        redis.stop();
        assertThatThrownBy(() -> {
                    try (RespConnection client = connect(PATIENT)) {
                        client.ask("PING");
                    }
                })
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(SocketTimeoutException.class);
        redis.start();
        try (RespConnection client = connect(PATIENT)) {
            assertThat(client.ask("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void closingEndsEveryThread() throws IOException {
        connect(PATIENT).ask("PING");
        RespConnection stuck = connect(PATIENT);
        stuck.ask("PING");
        proxy.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
        stuck.send("PING");
        String name = "rig-proxy-" + proxy.port();
        assertThat(threads(name)).isPositive();
        proxy.close();
        assertThat(threads("rig-proxy-")).isZero();
        stuck.close();
    }

    private static long threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }

    private RespConnection connect(Duration timeout) throws IOException {
        return RespConnection.open(SocketFactory.getDefault(), proxy.port(), timeout);
    }
}
