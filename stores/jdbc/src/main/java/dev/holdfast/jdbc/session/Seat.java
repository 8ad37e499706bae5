package dev.holdfast.jdbc.session;

import dev.holdfast.jdbc.dialect.Pooler;
import dev.holdfast.jdbc.dialect.Visit;
import java.sql.Connection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A connection that holds locks, or is about to. Used by one thread at a time. */
public final class Seat {
    private final Visit visit;
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

    /** {@return the database's number of the session that holds the locks; 0 while there are none} */
    public long backend() {
        return backend;
    }

    /**
     * Notes which session holds the locks.
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

    Visit visit() {
        return visit;
    }
}
