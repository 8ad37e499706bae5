package dev.holdfast.jdbc.session;

import dev.holdfast.jdbc.dialect.Pooler;
import dev.holdfast.jdbc.dialect.Visit;
import java.sql.Connection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A connection that holds locks, or is about to. Used by one thread at a time. */
public final class Seat {
    private final Visit visit;
    private @Nullable SessionId session;
    private String sessionName = "";

    /** Whether it holds locks; guarded by the lock of {@link Dedicated}. */
    boolean holds;

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

    /** {@return the database's number of the session; 0 if nobody knows it} */
    public long backend() {
        SessionId known = session;
        return known == null ? 0 : known.number();
    }

    /**
     * Notes which session has the lock, or is the only one that can have it.
     *
     * @param number the database's number of it
     * @param begun when the transaction that keeps the lock began, see {@link SessionId}
     */
    public void isHeldBy(long number, long begun) {
        session = new SessionId(number, begun, System.nanoTime());
    }

    /** Notes that nobody knows which session it is, so that none is taken for it. */
    public void forgetSession() {
        session = null;
    }

    /** {@return the session that may have the lock; empty if nobody knows it, and then it must not be ended} */
    Optional<SessionId> session() {
        return Optional.ofNullable(session);
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
