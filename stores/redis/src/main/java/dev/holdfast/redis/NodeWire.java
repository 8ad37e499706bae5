package dev.holdfast.redis;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * One connection to a node, on which asking and reading the answers are two steps: a thread asks all nodes before it reads
 * from the first. Used by one thread at a time; only {@link #cut} by others.
 */
final class NodeWire {
    private final Line line;
    private final String where;
    private boolean usedBefore;

    /** What was asked on it before, by somebody who did not need the answer; it comes before any other. */
    private List<Call> owed = List.of();

    private Runnable whenItComes = () -> {};

    NodeWire(Line line, String where) {
        this.line = line;
        this.where = where;
    }

    /** {@return whether the server may have closed it while it was idle} */
    boolean isStale() {
        return usedBefore;
    }

    /** Leaves answers for whoever uses the connection next. */
    void owe(List<Call> calls, Runnable late) {
        owed = calls;
        whenItComes = late;
    }

    boolean isOwed() {
        return !owed.isEmpty();
    }

    /**
     * Reads the answers that are owed.
     *
     * @throws BrokenExchange if they do not come
     */
    void settle(long patienceNanos) {
        List<Call> before = owed;
        Runnable late = whenItComes;
        owed = List.of();
        whenItComes = () -> {};
        read(before, patienceNanos);
        late.run();
    }

    /**
     * Sends calls, and does not wait for anything.
     *
     * @throws BrokenExchange if the connection is broken
     */
    void send(List<Call> calls) {
        try {
            calls.forEach(call -> call.send(line));
            // Reads nothing: that is how Jedis is told to flush.
            line.connection().getMany(0);
        } catch (JedisConnectionException broken) {
            throw BrokenExchange.afterSending("the connection to " + where + " broke", usedBefore, broken);
        }
    }

    /**
     * Reads the answers to what was sent. A refused command is an answer; a script that the server does not know is sent in
     * full.
     *
     * @throws BrokenExchange if there is no answer in time; then the connection is of no use any more
     */
    void read(List<Call> calls, long patienceNanos) {
        try {
            line.connection().setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(patienceNanos)));
            take(calls);
            List<Call> again = unknownScripts(calls);
            if (!again.isEmpty()) {
                send(again);
                take(again);
            }
            usedBefore = true;
        } catch (JedisConnectionException broken) {
            throw BrokenExchange.afterSending(where + " did not answer in time", usedBefore, broken);
        }
    }

    void cut() {
        line.cut();
    }

    private void take(List<Call> calls) {
        if (calls.size() == 1) {
            try {
                calls.get(0).answered(line.connection().getOne());
            } catch (JedisDataException refused) {
                calls.get(0).answered(refused);
            }
            return;
        }
        List<Object> answers = line.connection().getMany(calls.size());
        for (int i = 0; i < calls.size(); i++) {
            calls.get(i).answered(answers.get(i));
        }
    }

    private static List<Call> unknownScripts(List<Call> calls) {
        List<Call> again = List.of();
        Set<Script> inFull = EnumSet.noneOf(Script.class);
        for (Call call : calls) {
            JedisDataException refusal = call.refusal();
            Script script = call.script();
            if (refusal != null && script != null && Faults.isUnknownScript(refusal)) {
                again = again.isEmpty() ? new ArrayList<>() : again;
                // One in full is enough: the server knows the script by the time it reads the others.
                call.sendAgain(null, inFull.add(script));
                again.add(call);
            }
        }
        return again;
    }
}
