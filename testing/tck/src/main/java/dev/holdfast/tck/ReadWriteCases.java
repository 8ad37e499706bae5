package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockMismatchException;
import dev.holdfast.StoreTraits.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many readers or one writer. P5, P12, P15. */
abstract class ReadWriteCases {
    private static final int READERS = 100;
    private static final int ROUNDS_PER_THREAD = 20;

    private final Fixture fixture;
    private final String name;

    ReadWriteCases(Fixture fixture) {
        this.fixture = fixture;
        this.name = fixture.name();
    }

    @BeforeEach
    void needsReadWrite() {
        fixture.needs(Promise.READ_WRITE);
    }

    @Test
    void readersShareWithinAndBetweenClients() throws InterruptedException {
        Holdfast client = fixture.client();
        Lease first = client.readWriteLock(name).readLock().acquire();
        Lease second = client.readWriteLock(name).readLock().acquire();
        Lease third = fixture.client().readWriteLock(name).readLock().acquire();

        assertThat(List.of(first, second, third)).allMatch(Lease::isHeld).noneMatch(Lease::isExclusive);
        assertThat(List.of(first.token(), second.token(), third.token())).doesNotHaveDuplicates();
    }

    @Test
    void writerExcludesReadersAndWriters() throws InterruptedException {
        Lease writer = fixture.client().readWriteLock(name).writeLock().acquire();
        DistributedReadWriteLock other = fixture.client().readWriteLock(name);

        assertThat(other.readLock().tryAcquire()).isEmpty();
        assertThat(other.writeLock().tryAcquire()).isEmpty();
        assertThat(writer.isExclusive()).isTrue();
        assertThat(writer.release()).isTrue();
        assertThat(other.readLock().tryAcquire()).isPresent();
    }

    @Test
    void readerExcludesWritersAlsoThoseOfItsOwnClient() throws InterruptedException {
        DistributedReadWriteLock lock = fixture.client().readWriteLock(name);
        Lease reader = lock.readLock().acquire();

        assertThat(lock.writeLock().tryAcquire()).as("there is no upgrade").isEmpty();
        assertThat(fixture.client().readWriteLock(name).writeLock().tryAcquire())
                .isEmpty();
        assertThat(reader.isHeld()).isTrue();
    }

    @Test
    void writerWaitsForTheLastReader() throws Exception {
        Lease first = fixture.client().readWriteLock(name).readLock().acquire();
        Lease second = fixture.client().readWriteLock(name).readLock().acquire();
        CompletableFuture<Lease> writer =
                fixture.client().readWriteLock(name).writeLock().acquireAsync();
        second.close();
        assertThat(writer).isNotDone();
        first.close();

        assertThat(fixture.outcome(writer).token()).isGreaterThan(Math.max(first.token(), second.token()));
    }

    @Test
    void writersReleaseServesAHundredReadersWhoThenHoldTogether() throws Exception {
        Lease writer = fixture.client().readWriteLock(name).writeLock().acquire();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            DistributedReadWriteLock lock = fixture.client().readWriteLock(name);
            for (int j = 0; j < READERS / 4; j++) {
                waiters.add(lock.readLock().acquireAsync());
            }
        }
        writer.close();
        List<Lease> readers = new ArrayList<>();
        for (CompletableFuture<Lease> waiter : waiters) {
            readers.add(fixture.outcome(waiter));
        }

        assertThat(readers).hasSize(READERS).allMatch(Lease::isHeld);
        assertThat(readers).extracting(Lease::token).doesNotHaveDuplicates().allMatch(t -> t > writer.token());
    }

    @Test
    void waitingWriterIsNotOvertakenByNewReaders() throws Exception {
        fixture.needs(Promise.FAIR, Promise.SEES_WAITERS);
        Lease reader = fixture.client().readWriteLock(name).readLock().acquire();
        CompletableFuture<Lease> writer =
                fixture.client().readWriteLock(name).writeLock().acquireAsync();
        fixture.untilWaiters(name, 1);

        assertThat(fixture.client().readWriteLock(name).readLock().tryAcquire()).isEmpty();
        reader.close();
        assertThat(fixture.outcome(writer).isHeld()).isTrue();
    }

    @Test
    void writerThatGivesUpLetsTheReadersBehindItIn() throws Exception {
        Lease reader = fixture.client().readWriteLock(name).readLock().acquire();
        CompletableFuture<Lease> writer =
                fixture.client().readWriteLock(name).writeLock().acquireAsync();
        CompletableFuture<Lease> behind =
                fixture.client().readWriteLock(name).readLock().acquireAsync();
        writer.cancel(false);

        assertThat(fixture.outcome(behind).isHeld()).isTrue();
        assertThat(reader.isHeld()).isTrue();
    }

    @Test
    void readersAndWritersNeverOverlap() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        List<Task<Boolean>> tasks = new ArrayList<>();
        for (Holdfast client : List.of(fixture.client(), fixture.client())) {
            DistributedReadWriteLock lock = client.readWriteLock(name);
            for (int i = 0; i < 2; i++) {
                tasks.add(fixture.run(() -> read(lock, inside)));
                tasks.add(fixture.run(() -> write(lock, inside)));
            }
        }

        for (Task<Boolean> task : tasks) {
            assertThat(task.result()).isTrue();
        }
        assertThat(inside).hasValue(0);
    }

    @Test
    void nameInUseAsReadWriteLockIsRefusedToOtherKinds() throws InterruptedException {
        Lease reader = fixture.client().readWriteLock(name).readLock().acquire();
        Holdfast other = fixture.client();

        assertThatThrownBy(() -> other.lock(name).tryAcquire())
                .isInstanceOf(LockMismatchException.class)
                .hasMessageContaining(name);
        assertThatThrownBy(() -> other.lock(name).acquire()).isInstanceOf(LockMismatchException.class);
        assertThatThrownBy(() -> fixture.outcome(other.lock(name).acquireAsync()))
                .isInstanceOf(LockMismatchException.class);
        assertThat(reader.isHeld()).isTrue();
        assertThat(reader.release()).isTrue();
        assertThat(other.lock(name).tryAcquire())
                .as("a name out of use may change its kind")
                .isPresent();
    }

    private void read(DistributedReadWriteLock lock, AtomicInteger inside) throws Exception {
        for (int i = 0; i < ROUNDS_PER_THREAD; i++) {
            lock.readLock().run(lease -> {
                assertThat(inside.incrementAndGet()).isPositive();
                Threads.giveWay();
                inside.decrementAndGet();
            });
        }
    }

    private void write(DistributedReadWriteLock lock, AtomicInteger inside) throws Exception {
        for (int i = 0; i < ROUNDS_PER_THREAD; i++) {
            lock.writeLock().run(lease -> {
                assertThat(inside.getAndAdd(-READERS)).isZero();
                Threads.giveWay();
                assertThat(inside.addAndGet(READERS)).isZero();
            });
        }
    }
}
