package dev.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HoldfastObservationsTest {
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();
    private final Holdfast locks = Holdfast.builder()
            .url("memory:")
            .listener(HoldfastObservations.of(registry))
            .build();

    HoldfastObservationsTest() {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
    }

    @AfterEach
    void close() {
        locks.close();
    }

    private Observation.Context stopped(String name) {
        await().until(() -> stopped.stream().anyMatch(context -> name.equals(context.getName())));
        return stopped.stream()
                .filter(context -> name.equals(context.getName()))
                .findFirst()
                .orElseThrow();
    }

    private static String value(Observation.Context context, String key) {
        KeyValue found = context.getLowCardinalityKeyValue(key);
        if (found == null) {
            found = context.getHighCardinalityKeyValue(key);
        }
        return Objects.requireNonNull(found, key).getValue();
    }

    @Test
    void aWaitAndAHoldBelongToTheCallersObservation() {
        Observation request = Observation.start("request", registry);
        long token = Objects.requireNonNull(request.scoped(() -> {
            try (Lease lease = locks.lock("orders/42").acquire()) {
                return lease.token();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }));
        Observation.Context wait = stopped(HoldfastObservations.WAIT);
        Observation.Context hold = stopped(HoldfastObservations.HOLD);
        for (Observation.Context context : List.of(wait, hold)) {
            assertThat(value(context, "holdfast.lock")).isEqualTo("orders/42");
            assertThat(value(context, "holdfast.token")).isEqualTo(Long.toString(token));
            assertThat(Objects.requireNonNull(context.getParentObservation()).getContextView())
                    .isEqualTo(request.getContextView());
        }
        assertThat(value(wait, "outcome")).isEqualTo("acquired");
        assertThat(value(wait, "source")).isEqualTo("store");
        assertThat(value(hold, "end")).isEqualTo("released");
        request.stop();
    }

    @Test
    void aLossIsTheErrorOfItsHold() throws InterruptedException {
        Lease lease = locks.lock("a").acquire();
        locks.evict("a", "a test");
        Observation.Context hold = stopped(HoldfastObservations.HOLD);
        assertThat(value(hold, "end")).isEqualTo("evicted");
        assertThat(hold.getError()).isInstanceOf(LeaseLostException.class);
        lease.release();
    }

    @Test
    void waitsWithoutALeaseTellHowTheyEnded() throws InterruptedException {
        Lease held = locks.lock("a").acquire();
        stopped(HoldfastObservations.WAIT);
        stopped.clear();
        assertThat(locks.lock("a").tryAcquire()).isEmpty();
        assertThat(value(stopped(HoldfastObservations.WAIT), "outcome")).isEqualTo("contended");
        stopped.clear();
        locks.lock("a").acquireAsync().cancel(true);
        assertThat(value(stopped(HoldfastObservations.WAIT), "outcome")).isEqualTo("abandoned");
        stopped.clear();
        CompletableFuture<Lease> unlucky = locks.lock("a").acquireAsync();
        locks.close();
        await().until(unlucky::isCompletedExceptionally);
        Observation.Context failed = stopped(HoldfastObservations.WAIT);
        assertThat(value(failed, "outcome")).isEqualTo("failed");
        assertThat(failed.getError()).hasMessageContaining("closed");
        held.release();
    }
}
