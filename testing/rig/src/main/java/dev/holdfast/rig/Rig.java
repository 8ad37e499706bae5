package dev.holdfast.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * A place to start servers in. Closing it ends all of them; their files are deleted unless a test has failed, in which
 * case the logs are printed and the files kept. A closed rig can be used again and is then empty.
 *
 * <p>In a test it is an extension: {@code @RegisterExtension static final Rig rig = new Rig()} keeps what was started
 * until the class is done, the same without {@code static} until the test is done. Elsewhere it is closed by hand. Used by
 * one thread at a time.
 */
public final class Rig
        implements AutoCloseable,
                BeforeAllCallback,
                AfterAllCallback,
                AfterEachCallback,
                TestExecutionExceptionHandler,
                LifecycleMethodExecutionExceptionHandler {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<Server> servers = new ArrayList<>();
    private @Nullable Path directory;
    private boolean failed;

    /** Nested classes are inside their outer class: how many are under way. */
    private int classes;

    /** Makes a rig in which nothing runs yet. */
    public Rig() {}

    /**
     * Starts a server and waits until it is ready.
     *
     * @param name for messages and files
     * @param launch how
     * @return the running server, which ends with the rig at the latest
     * @throws InterruptedException if interrupted
     */
    public Server start(String name, Launch launch) throws InterruptedException {
        try {
            Path home = Files.createDirectories(directory().resolve(name + "-" + servers.size()));
            Server server = keep(Server.start(name, launch, home));
            servers.add(server);
            return server;
        } catch (IOException failure) {
            throw new UncheckedIOException("there is no directory for " + name, failure);
        }
    }

    /**
     * Closes something with the rig, before everything that was given to it earlier.
     *
     * @param <T> its type
     * @param resource may be closed before
     * @return the same
     */
    public <T extends AutoCloseable> T keep(T resource) {
        open.push(resource);
        return resource;
    }

    /** {@return where files can be kept until the rig is closed; under the build directory if there is one} */
    public Path directory() {
        Path current = directory;
        if (current == null) {
            current = Directories.fresh();
            directory = current;
        }
        return current;
    }

    /** Prints the logs of all servers, and keeps all files when the rig is closed. */
    public void keepLogs() {
        failed = true;
        servers.forEach(server -> System.err.println(server.logTail()));
    }

    @Override
    public void close() {
        List<Exception> problems = new ArrayList<>();
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception problem) {
                if (problem instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
                problems.add(problem);
            }
        }
        servers.clear();
        Path used = directory;
        directory = null;
        if (used != null && !failed) {
            try {
                Directories.delete(used);
            } catch (IOException problem) {
                problems.add(problem);
            }
        }
        failed = false;
        if (!problems.isEmpty()) {
            RigException all = new RigException("the rig could not be closed cleanly", problems.get(0));
            problems.subList(1, problems.size()).forEach(all::addSuppressed);
            throw all;
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        classes++;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        classes--;
        if (classes == 0) {
            close();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (classes == 0) {
            close();
        }
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        note(failure);
        throw failure;
    }

    @Override
    public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        note(failure);
        throw failure;
    }

    @Override
    public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        note(failure);
        throw failure;
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        note(failure);
        throw failure;
    }

    private void note(Throwable failure) {
        if (!(failure instanceof TestAbortedException)) {
            keepLogs();
        }
    }
}
