package dev.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Name servers that take their time. */
final class HostLookupTest {
    private final CountDownLatch told = new CountDownLatch(1);
    private final AtomicInteger lookups = new AtomicInteger();
    private final HostLookup slow = new HostLookup(this::find);

    private InetAddress[] find(String host) throws IOException {
        lookups.incrementAndGet();
        try {
            told.await();
        } catch (InterruptedException interrupted) {
            throw new IOException(interrupted);
        }
        return new InetAddress[] {InetAddress.getLoopbackAddress()};
    }

    @Test
    @Timeout(20)
    void whoeverAsksWaitsNoLongerThanItsDeadlineAndOneLookupIsForAll() throws IOException {
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> slow.find("slow.example", in(20))).isInstanceOf(SocketTimeoutException.class);
        }
        assertThat(lookups).hasValue(1);
        told.countDown();
        assertThat(slow.find("slow.example", in(10_000))).containsExactly(InetAddress.getLoopbackAddress());
    }

    @Test
    void addressesNeedNoLookup() throws IOException {
        assertThat(HostLookup.SYSTEM.find("127.0.0.1", in(0))[0].isLoopbackAddress())
                .isTrue();
        assertThat(HostLookup.SYSTEM.find("::1", in(0))[0].isLoopbackAddress()).isTrue();
    }

    @Test
    void unknownHostIsTold() {
        HostLookup nobody = new HostLookup(host -> {
            throw new UnknownHostException(host);
        });
        assertThatThrownBy(() -> nobody.find("nobody.example", in(10_000)))
                .isInstanceOf(UnknownHostException.class)
                .hasMessageContaining("nobody.example is not known");
    }

    private static Deadline in(long millis) {
        return Deadline.in(System::nanoTime, Duration.ofMillis(millis));
    }
}
