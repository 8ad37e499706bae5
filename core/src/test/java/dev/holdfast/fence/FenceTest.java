package dev.holdfast.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A guarded resource accepts only tokens that are at least as large as the largest it has seen (P7). */
class FenceTest {
    private final Holdfast locks = Holdfast.connect("memory:");
    private final StampedResource<String> resource = StampedResource.inMemory("empty");
    private final Fence<String> fence = Fence.around("book", resource);

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void aHolderReadsAndWrites() throws InterruptedException {
        try (Lease lease = locks.lock("book").acquire()) {
            assertThat(fence.read(lease)).isEqualTo("empty");
            fence.write(lease, "first");
            assertThat(fence.update(lease, text -> text + "+")).isEqualTo("first+");
        }
        assertThat(resource.read().value()).isEqualTo("first+");
    }

    @Test
    void aStaleHolderIsRefusedOnceItsSuccessorHasRead() throws InterruptedException {
        Lease stale = locks.lock("book").acquire();
        locks.evict("book", "test");
        try (Lease successor = locks.lock("book").acquire()) {
            assertThat(fence.read(successor)).isEqualTo("empty");
            assertThatThrownBy(() -> fence.write(stale, "late"))
                    .isInstanceOf(StaleTokenException.class)
                    .hasMessageContaining(Long.toString(stale.token()))
                    .hasMessageContaining(Long.toString(successor.token()));
            assertThatThrownBy(() -> fence.read(stale)).isInstanceOf(StaleTokenException.class);
            assertThat(fence.read(successor)).isEqualTo("empty");
        }
    }

    @Test
    void sharedLeasesAndOtherLocksAreRefused() throws InterruptedException {
        Fence<String> catalog = Fence.around("catalog", resource);
        try (Lease reader = locks.readWriteLock("catalog").readLock().acquire();
                Lease other = locks.lock("other").acquire()) {
            assertThatThrownBy(() -> catalog.read(reader)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> catalog.read(other)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(resource.read()).isEqualTo(new Stamped<>("empty", 0));
    }

    @Test
    void eachNameOfALeaseOverSeveralHasItsOwnToken() throws InterruptedException {
        try (Lease both = locks.all("book", "shelf").acquire()) {
            fence.write(both, "moved");
            assertThat(resource.read()).isEqualTo(new Stamped<>("moved", both.token("book")));
        }
    }

    @Test
    void aResourceThatNeverSettlesIsReported() throws InterruptedException {
        StampedResource<String> restless = new StampedResource<>() {
            @Override
            public Stamped<String> read() {
                return new Stamped<>("x", 0);
            }

            @Override
            public boolean compareAndSet(Stamped<String> expected, Stamped<String> next) {
                return false;
            }
        };
        try (Lease lease = locks.lock("book").acquire()) {
            assertThatThrownBy(() -> Fence.around("book", restless).write(lease, "y"))
                    .isInstanceOf(HoldfastException.class)
                    .hasMessageContaining("again and again");
        }
    }

    @Test
    void aFenceWritesAValueThatWasChangedInPlace() throws InterruptedException {
        AtomicReference<Stamped<String>> disk = new AtomicReference<>(new Stamped<>("", 0));
        StampedResource<StringBuilder> texts = new StampedResource<>() {
            @Override
            public Stamped<StringBuilder> read() {
                Stamped<String> stored = disk.get();
                return new Stamped<>(new StringBuilder(stored.value()), stored.token());
            }

            @Override
            public boolean compareAndSet(Stamped<StringBuilder> expected, Stamped<StringBuilder> next) {
                disk.set(new Stamped<>(next.value().toString(), next.token()));
                return true;
            }
        };
        try (Lease lease = locks.lock("text").acquire()) {
            Fence<StringBuilder> builder = Fence.around("text", texts);
            builder.update(lease, text -> text.append("one "));
            builder.update(lease, text -> text.append("two"));
            assertThat(disk.get()).isEqualTo(new Stamped<>("one two", lease.token()));
        }
    }
}
