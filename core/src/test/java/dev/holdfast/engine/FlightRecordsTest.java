package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recording shows, without any listener or option. */
class FlightRecordsTest {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration THRESHOLD = Duration.ofMillis(10);

    @Test
    void aRecordingHasWaitsHoldsRenewalsAndLosses(@TempDir Path directory) throws IOException, InterruptedException {
        Queue<HoldfastEvent> told = new ConcurrentLinkedQueue<>();
        long lostToken;
        Path file = directory.resolve("locks.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            try (Holdfast locks = Holdfast.builder()
                    .url("memory:")
                    .listener(told::add)
                    .defaults(LockOptions.defaults().withLeaseTime(LEASE))
                    .build()) {
                Lease first = locks.lock("orders/1").acquire();
                CompletableFuture<Lease> second = locks.lock("orders/1").acquireAsync();
                await().until(() -> told.stream().anyMatch(HoldfastEvent.Renewed.class::isInstance));
                first.close();
                Lease lost = second.join();
                lostToken = lost.token();
                locks.evict("orders/1", "a test");
                await().until(() -> told.stream().anyMatch(HoldfastEvent.Lost.class::isInstance));
                lost.release();
                locks.lock("quick").acquire().close();
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(of(events, "dev.holdfast.Wait")).anySatisfy(wait -> {
            assertThat(wait.getString("lock")).isEqualTo("orders/1");
            assertThat(wait.getString("outcome")).isEqualTo("hand_off");
            assertThat(wait.getLong("token")).isEqualTo(lostToken);
        });
        assertThat(of(events, "dev.holdfast.Hold"))
                .anySatisfy(hold -> assertThat(hold.getString("end")).isEqualTo("released"));
        assertThat(of(events, "dev.holdfast.Loss")).singleElement().satisfies(loss -> {
            assertThat(loss.getString("reason")).isEqualTo("evicted");
            assertThat(loss.getLong("token")).isEqualTo(lostToken);
        });
        assertThat(of(events, "dev.holdfast.Renewal"))
                .isNotEmpty()
                .allSatisfy(renewal -> assertThat(renewal.getDuration("lag")).isLessThan(LEASE));
        // A quick wait or hold is below the threshold.
        for (String type : List.of("dev.holdfast.Wait", "dev.holdfast.Hold")) {
            assertThat(of(events, type))
                    .allSatisfy(event -> assertThat(event.getDuration()).isGreaterThanOrEqualTo(THRESHOLD));
        }
    }

    private static List<RecordedEvent> of(List<RecordedEvent> events, String type) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(type))
                .toList();
    }
}
