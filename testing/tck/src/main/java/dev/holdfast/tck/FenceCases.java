package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.fence.Fence;
import dev.holdfast.fence.StaleTokenException;
import dev.holdfast.fence.Stamped;
import dev.holdfast.fence.StampedResource;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The store's tokens at a guarded resource: who lost the lock cannot write any more. P7. */
abstract class FenceCases {
    private final Fixture fixture;
    private final String name;
    private final Register register = new Register();
    private final Fence<String> fence;

    FenceCases(Fixture fixture) {
        this.fixture = fixture;
        this.name = fixture.name();
        this.fence = Fence.around(name, register);
    }

    @Test
    void holdersWriteOneAfterAnother() throws InterruptedException {
        for (String value : new String[] {"first", "second", "third"}) {
            fixture.client().lock(name).run(lease -> fence.write(lease, value));
        }

        assertThat(register.read().value()).isEqualTo("third");
    }

    @Test
    void holderThatWasSucceededIsRefusedFromTheFirstReadOfItsSuccessorOn() throws InterruptedException {
        Lease stale = fixture.client().lock(name, fixture.renewed()).acquire();
        fence.write(stale, "old");
        fixture.observer().evict(name, "the contract suite wants it");
        Lease next = fixture.client().lock(name).acquire();
        assertThat(fence.read(next)).isEqualTo("old");

        assertThatThrownBy(() -> fence.write(stale, "stale"))
                .isInstanceOfSatisfying(StaleTokenException.class, refused -> {
                    assertThat(refused.token()).isEqualTo(stale.token());
                    assertThat(refused.largestSeen()).isEqualTo(next.token());
                });
        assertThat(register.read()).isEqualTo(new Stamped<>("old", next.token()));
    }

    @Test
    void formerHolderOfTheSameClientIsRefusedAfterAHandOff() throws Exception {
        Holdfast client = fixture.client();
        Lease former = client.lock(name).acquire();
        CompletableFuture<Lease> waiter = client.lock(name).acquireAsync();
        fence.write(former, "old");
        former.close();
        fence.write(fixture.outcome(waiter), "new");

        assertThatThrownBy(() -> fence.write(former, "stale")).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void sharedLeasesAreNotForFences() throws InterruptedException {
        fixture.needs(Promise.READ_WRITE);
        Lease reader = fixture.client().readWriteLock(name).readLock().acquire();

        assertThatThrownBy(() -> fence.write(reader, "shared")).isInstanceOf(IllegalArgumentException.class);
        assertThat(reader.release()).isTrue();
        fixture.client().readWriteLock(name).writeLock().run(lease -> fence.write(lease, "exclusive"));
        assertThat(register.read().value()).isEqualTo("exclusive");
    }

    /** A value that can be compared and set. Thread-safe. */
    private static final class Register implements StampedResource<String> {
        /** Guarded by this object's monitor. */
        private Stamped<String> content = new Stamped<>("", 0);

        @Override
        public synchronized Stamped<String> read() {
            return content;
        }

        @Override
        public synchronized boolean compareAndSet(Stamped<String> expected, Stamped<String> next) {
            boolean unchanged = content.equals(expected);
            content = unchanged ? next : content;
            return unchanged;
        }
    }
}
