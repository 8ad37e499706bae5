package dev.holdfast.jdbc.lease;

import dev.holdfast.jdbc.dialect.Pooler;
import dev.holdfast.jdbc.dialect.Visit;
import dev.holdfast.spi.StoreContext;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Hears notifications of PostgreSQL: one connection and one thread per client, from its first claim on. Behind a pooler
 * that gives every transaction another session the client goes on polling. That notifications arrive is proved by one to
 * itself, sent over another connection. The driver's interface is used by reflection, because drivers
 * are the user's choice. Thread-safe.
 */
final class Listening {
    private static final int PATIENCE_MILLIS = 500;
    private static final Duration PROBE_PATIENCE = Duration.ofSeconds(3);
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(2);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final String PROBE = "probe";

    /** Followed by the client's id. */
    static final String CHANNEL_PREFIX = "holdfast_";

    private final LeaseStore store;
    private final StoreContext context;
    private final Watch watch;
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile boolean on;
    private volatile boolean closed;
    private volatile @Nullable Visit current;
    private volatile @Nullable Thread thread;

    Listening(LeaseStore store, StoreContext context, Watch watch) {
        this.store = store;
        this.context = context;
        this.watch = watch;
    }

    static String channelOf(String client) {
        return CHANNEL_PREFIX + client;
    }

    /** {@return whether notifications arrive} */
    boolean isOn() {
        return on;
    }

    void start() {
        if (!closed && started.compareAndSet(false, true)) {
            Thread ears = new Thread(this::listenForEver, "holdfast-" + context.clientName() + "-listener");
            ears.setDaemon(true);
            thread = ears;
            ears.start();
        }
    }

    void close() {
        closed = true;
        hangUp();
        LockSupport.unpark(thread);
    }

    /** The connection does not go back to a pool: whoever got it next would collect what is meant for us. */
    private void hangUp() {
        Visit open = current;
        current = null;
        if (open != null) {
            open.discard();
        }
    }

    private void listenForEver() {
        Duration pause = FIRST_PAUSE;
        while (!closed) {
            try {
                Visit visit = store.database().connections().stay();
                current = visit;
                if (Pooler.isBetween(visit.connection())) {
                    // To listen would leave an ear on a session that others use next, and hear nothing.
                    current = null;
                    visit.end();
                    return;
                }
                if (listen(visit.connection())) {
                    pause = FIRST_PAUSE;
                }
            } catch (SQLException | ReflectiveOperationException | RuntimeException lost) {
                // Without notifications the client polls; the next attempt comes after a pause.
                pause = pause.multipliedBy(2);
            } finally {
                on = false;
                hangUp();
            }
            if (!closed) {
                watch.arrange();
                pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
                LockSupport.parkNanos(pause.toNanos());
            }
        }
    }

    /** Listens until the connection fails; false if nothing can be heard over it. */
    private boolean listen(Connection connection) throws SQLException, ReflectiveOperationException {
        Ear ear = Ear.of(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + channelOf(store.client()));
        }
        if (!proves(ear)) {
            throw new SQLException("notifications do not arrive; probably there is a transaction pooler", "08000");
        }
        on = true;
        watch.catchUp();
        long lastSign = System.nanoTime();
        while (!closed) {
            List<String> texts = ear.hear(PATIENCE_MILLIS);
            texts.forEach(this::deliver);
            if (System.nanoTime() - lastSign > SIGN_OF_LIFE.toNanos()) {
                if (!connection.isValid(
                        Math.max(1, store.database().connections().commandTimeoutMillis() / 1_000))) {
                    return true;
                }
                lastSign = System.nanoTime();
            }
        }
        return true;
    }

    private boolean proves(Ear ear) throws SQLException, ReflectiveOperationException {
        store.database().run("listen", "the store", connection -> {
            try (PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
                notify.setString(1, channelOf(store.client()));
                notify.setString(2, PROBE);
                notify.executeQuery().close();
            }
            return true;
        });
        long until = System.nanoTime() + PROBE_PATIENCE.toNanos();
        while (!closed && System.nanoTime() - until < 0) {
            List<String> texts = ear.hear(PATIENCE_MILLIS);
            texts.stream().filter(text -> !text.equals(PROBE)).forEach(this::deliver);
            if (texts.contains(PROBE)) {
                return true;
            }
        }
        return false;
    }

    private void deliver(String text) {
        if (text.equals(PROBE)) {
            return;
        }
        Notice notice;
        try {
            notice = Notice.parse(store.client(), text);
        } catch (IllegalArgumentException foreign) {
            // A newer release may say more; what it says is a hint only.
            return;
        }
        watch.hear(notice);
    }

    /** The driver's notifications, by reflection. */
    private record Ear(Object driver, Method getNotifications) {
        static Ear of(Connection connection) throws SQLException, ReflectiveOperationException {
            Object driver = Pooler.greetingOf(connection)
                    .orElseThrow(() -> new SQLException("the driver cannot tell notifications", "08000"))
                    .driver();
            doNotLinger(driver);
            return new Ear(driver, driver.getClass().getMethod("getNotifications", int.class));
        }

        /**
         * When it has heard something, the driver waits a millisecond for more, which is most of the time that a hand-over
         * takes. A driver that believes to have looked for more already does not. Where it is built otherwise, the
         * millisecond stays. What comes a moment later is heard by the next call.
         */
        private static void doNotLinger(Object driver) {
            try {
                Object executor =
                        driver.getClass().getMethod("getQueryExecutor").invoke(driver);
                Field stream = fieldOf(executor.getClass(), "pgStream");
                Object input = stream.get(executor);
                fieldOf(input.getClass(), "nextStreamAvailableCheckTime").setLong(input, Long.MAX_VALUE);
            } catch (ReflectiveOperationException | RuntimeException builtOtherwise) {
                return;
            }
        }

        private static Field fieldOf(Class<?> type, String name) throws NoSuchFieldException {
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                for (Field field : each.getDeclaredFields()) {
                    if (field.getName().equals(name)) {
                        field.setAccessible(true);
                        return field;
                    }
                }
            }
            throw new NoSuchFieldException(name);
        }

        List<String> hear(int millis) throws SQLException, ReflectiveOperationException {
            Object[] heard;
            try {
                heard = (Object[]) getNotifications.invoke(driver, millis);
            } catch (InvocationTargetException failed) {
                if (failed.getCause() instanceof SQLException failure) {
                    throw failure;
                }
                throw failed;
            }
            List<String> texts = new ArrayList<>();
            if (heard != null) {
                for (Object notification : heard) {
                    Class<?> type = Class.forName(
                            "org.postgresql.PGNotification",
                            true,
                            driver.getClass().getClassLoader());
                    texts.add((String) type.getMethod("getParameter").invoke(notification));
                }
            }
            return texts;
        }
    }
}
