package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two copies of the library in one process, as two web applications bring them along. */
final class ClassLoadersTest {
    private static final int ROUNDS = 150;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path temporary;

    @Test
    void copiesOfTheLibraryExcludeEachOtherAndDoNotDropEachOthersLocks() throws Exception {
        Path directory = temporary.resolve("store");
        try (URLClassLoader loader = copyOfTheLibrary();
                Holdfast client = Holdfast.connect("file:" + directory);
                AutoCloseable copy = connect(loader, directory);
                HolderProcess process = HolderProcess.on(directory)) {
            Lock ofCopy = lock(copy, "x");
            Lease held = client.lock("x").acquire();
            assertThat(ofCopy.tryLock()).isFalse();
            assertThat(inspect(copy, "x")).contains("holders=[Holder[");
            assertThat(process.ask("try x")).isEqualTo("contended");
            held.close();

            assertThat(ofCopy.tryLock()).isTrue();
            assertThat(client.lock("x").tryAcquire()).isEmpty();
            assertThat(client.inspect("x").orElseThrow().holders()).hasSize(1);
            assertThat(process.ask("try x")).isEqualTo("contended");
            client.close();
            assertThat(process.ask("try x")).isEqualTo("contended");
            ofCopy.unlock();
            assertThat(process.take("x")).isGreaterThan(held.token());
        }
    }

    @Test
    void copiesOfTheLibraryAndAnotherProcessCountTogether() throws Exception {
        Path directory = temporary.resolve("store");
        Path counter = Files.writeString(temporary.resolve("counter"), "0");
        try (URLClassLoader loader = copyOfTheLibrary();
                Holdfast client = Holdfast.connect("file:" + directory);
                AutoCloseable copy = connect(loader, directory);
                HolderProcess process = HolderProcess.on(directory)) {
            process.tell("churn x 1000");
            Thread one = new Thread(() -> count(client.lock("x").asLock(), counter));
            Lock ofCopy = lock(copy, "x");
            Thread two = new Thread(() -> count(ofCopy, counter));
            one.start();
            two.start();
            one.join(PATIENCE.toMillis());
            two.join(PATIENCE.toMillis());
            process.expect("churned");
            assertThat(Files.readString(counter)).isEqualTo(Integer.toString(2 * ROUNDS));
        }
    }

    private static void count(Lock lock, Path counter) {
        for (int i = 0; i < ROUNDS; i++) {
            lock.lock();
            try {
                int seen = Integer.parseInt(Files.readString(counter));
                Files.writeString(counter, Integer.toString(seen + 1));
            } catch (IOException failed) {
                throw new AssertionError(failed);
            } finally {
                lock.unlock();
            }
        }
    }

    private static URLClassLoader copyOfTheLibrary() {
        URL library = Holdfast.class.getProtectionDomain().getCodeSource().getLocation();
        return new URLClassLoader(new URL[] {library}, ClassLoader.getPlatformClassLoader());
    }

    private static AutoCloseable connect(ClassLoader loader, Path directory) throws ReflectiveOperationException {
        Class<?> copy = loader.loadClass(Holdfast.class.getName());
        assertThat(copy).isNotSameAs(Holdfast.class);
        return (AutoCloseable) copy.getMethod("connect", String.class).invoke(null, "file:" + directory);
    }

    /** The only kind of lock that both copies know. */
    private static Lock lock(AutoCloseable client, String name) throws ReflectiveOperationException {
        Object lock = interfaceOf(client, Holdfast.class)
                .getMethod("lock", String.class)
                .invoke(client, name);
        Class<?> type = Class.forName(
                "dev.holdfast.DistributedLock", false, client.getClass().getClassLoader());
        return (Lock) type.getMethod("asLock").invoke(lock);
    }

    private static String inspect(AutoCloseable client, String name) throws ReflectiveOperationException {
        return String.valueOf(interfaceOf(client, Holdfast.class)
                .getMethod("inspect", String.class)
                .invoke(client, name));
    }

    private static Class<?> interfaceOf(Object client, Class<?> ours) throws ClassNotFoundException {
        return Class.forName(ours.getName(), false, client.getClass().getClassLoader());
    }
}
