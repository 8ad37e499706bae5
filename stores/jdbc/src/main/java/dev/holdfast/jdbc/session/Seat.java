package dev.holdfast.jdbc.session;

import dev.holdfast.jdbc.dialect.Pooler;
import dev.holdfast.jdbc.dialect.Visit;
import java.sql.Connection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A connection that holds locks, or is about to. Used by one thread at a time. */
public final class Seat {
    private final Visit visit;
    private final long sinceNanos = System.nanoTime();
    private long backend;
    private String sessionName = "";

    /** Asked once; null before. */
    @SuppressWarnings("OptionalUsedAsFieldOrParameterType")
    private @Nullable Optional<Pooler.Greeting> greeting;

    Seat(Visit visit) {
        this.visit = visit;
    }

    /** {@return the connection} */
    public Connection connection() {
        return visit.connection();
    }

    /** {@return the database's number of the session; 0 before it was asked for} */
    public long backend() {
        return backend;
    }

    /**
     * Notes which session it is.
     *
     * @param number the database's number of it
     */
    public void isHeldBy(long number) {
        backend = number;
    }

    /** {@return what the session called itself before it held locks} */
    public String sessionName() {
        return sessionName;
    }

    /**
     * Notes what the session called itself before it held locks.
     *
     * @param name its name
     */
    public void wasCalled(String name) {
        sessionName = name;
    }

    /** {@return what PostgreSQL's driver was told when it connected; empty if nobody knows} */
    public Optional<Pooler.Greeting> greeting() {
        Optional<Pooler.Greeting> asked = greeting;
        if (asked == null) {
            asked = Pooler.greetingOf(visit.connection());
            greeting = asked;
        }
        return asked;
    }

    /** {@return the session as far as anybody knows it, also before it holds anything; 0 if nobody does} */
    long knownBackend() {
        return backend != 0
                ? backend
                : greeting()
                        .map(Pooler.Greeting::backend)
                        .map(Number::longValue)
                        .orElse(0L);
    }

    /** {@return when it was opened or borrowed, by {@link System#nanoTime}} */
    long sinceNanos() {
        return sinceNanos;
    }

    Visit visit() {
        return visit;
    }
}
