package dev.holdfast.torture.peers;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * A lock of one of Spring Integration's registries. It cannot be asked whether it is held; {@code unlock()} throws if it was
 * lost.
 *
 * @param lock the lock
 */
record SpringLock(Lock lock) implements Peer.Held {
    static Peer.@Nullable Held take(Lock lock, Duration wait) throws InterruptedException {
        return lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS) ? new SpringLock(lock) : null;
    }

    @Override
    public boolean release() {
        try {
            lock.unlock();
            return true;
        } catch (ConcurrentModificationException | IllegalStateException lost) {
            return false;
        }
    }
}
