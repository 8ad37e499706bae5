package dev.holdfast.redis.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * One connection to a node, on which asking and reading the answers are two steps: a thread asks all nodes before it reads
 * from the first. What one round has asked and not waited for is read by the next, before its own answers, which come
 * behind.
 * Jedis makes the connection; what is written here is the same for all nodes and encoded
 * once. Used by one thread at a time; only {@link #cut} by others.
 */
public final class NodeConnection {
    private static final long NOTHING_OWED = Long.MIN_VALUE;

    private final ServerConnection line;
    private final Socket socket;
    private final OutputStream questions;
    private final AnswerStream answers;
    private final String where;

    /** Scripts that the node was seen not to know; shared by its connections. */
    private final Set<Script> unknown;

    /** What was asked and is not answered yet, in order. */
    private final ArrayDeque<Batch> expected = new ArrayDeque<>();

    private boolean usedBefore;

    /** When the last of those was asked that nobody waits for; also read by whoever looks for such. */
    private volatile long owedSinceNanos = NOTHING_OWED;

    /** Calls that were sent together. */
    private static final class Batch {
        private final List<Call> calls;

        /** Told when they are answered, or will not be, if whoever asked did not wait for it. */
        private @Nullable Runnable late;

        /** Scripts that the node did not know were in full this time, so that nothing is sent a third time. */
        private final boolean repeated;

        private Batch(List<Call> calls, @Nullable Runnable late, boolean repeated) {
            this.calls = calls;
            this.late = late;
            this.repeated = repeated;
        }
    }

    /**
     * Makes a wire from a connection that has logged in, and has been used for nothing else.
     *
     * @throws BrokenExchange if it is closed already
     */
    NodeConnection(ServerConnection line, Socket socket, String where, Set<Script> unknown) {
        this.line = line;
        this.socket = socket;
        this.where = where;
        this.unknown = unknown;
        try {
            this.questions = socket.getOutputStream();
            this.answers = AnswerStream.of(socket);
        } catch (IOException closed) {
            throw BrokenExchange.beforeSending("the connection to " + where + " broke", closed);
        }
    }

    /** {@return whether the server may have closed it while it was idle} */
    public boolean isStale() {
        return usedBefore;
    }

    /** {@return how many earlier and present questions are not answered yet} */
    public int owed() {
        return expected.size();
    }

    /** {@return whether there is something to read; where that cannot be told, false} */
    public boolean isReady() {
        return answers.hasCome();
    }

    /** Leaves the answers to what was sent last for whoever uses the connection next. */
    public void owe(Runnable late, long sentNanos) {
        Batch last = expected.peekLast();
        if (last != null) {
            last.late = late;
            owedSinceNanos = sentNanos;
        }
    }

    /** {@return whether an answer is left to be read that somebody has asked for longer ago than that} */
    public boolean hasOwedSince(long nanos) {
        return owedSinceNanos != NOTHING_OWED && owedSinceNanos - nanos <= 0;
    }

    /** {@return whether an answer is left to be read} */
    public boolean isOwed() {
        return owedSinceNanos != NOTHING_OWED;
    }

    /**
     * Sends calls, and does not wait for anything.
     *
     * @throws BrokenExchange if the connection is broken
     */
    public void send(List<Call> calls) {
        if (!unknown.isEmpty()) {
            for (Call call : calls) {
                Script script = call.script();
                if (script != null && unknown.remove(script)) {
                    call.sendAgain(null, true);
                }
            }
        }
        send(new Batch(calls, null, false));
    }

    private void send(Batch batch) {
        try {
            questions.write(encoded(batch.calls));
        } catch (IOException broken) {
            throw BrokenExchange.afterSending("the connection to " + where + " broke", usedBefore, broken);
        }
        expected.add(batch);
    }

    private static byte[] encoded(List<Call> calls) {
        if (calls.size() == 1) {
            return calls.get(0).encoded();
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        calls.forEach(call -> all.writeBytes(call.encoded()));
        return all.toByteArray();
    }

    /**
     * Reads what has come; the rest of an answer of which a part is there is waited for.
     *
     * @throws BrokenExchange if there is none in time; then the connection is of no use any more
     */
    public void readReady(long patienceNanos) {
        read(patienceNanos, false);
    }

    /**
     * Reads the answers to everything that was sent.
     *
     * @throws BrokenExchange if they do not come in time; then the connection is of no use any more
     */
    public void readAll(long patienceNanos) {
        read(patienceNanos, true);
    }

    private void read(long patienceNanos, boolean all) {
        try {
            socket.setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(patienceNanos)));
            Batch next = expected.peek();
            while (next != null) {
                read(next);
                next = expected.peek();
                if (!all && next != null && !isReady()) {
                    break;
                }
            }
            usedBefore = true;
            if (expected.isEmpty() && owedSinceNanos != NOTHING_OWED) {
                owedSinceNanos = NOTHING_OWED;
            }
        } catch (JedisConnectionException | IOException broken) {
            throw BrokenExchange.afterSending(where + " did not answer in time", usedBefore, broken);
        }
    }

    /** A refused command is an answer; a script that the server does not know is sent in full. */
    private void read(Batch batch) {
        boolean refused = false;
        for (Call call : batch.calls) {
            call.answered(answers.next());
            refused |= call.failure() != null;
        }
        expected.remove();
        List<Call> again = refused && !batch.repeated ? unknownScripts(batch.calls) : List.of();
        if (!again.isEmpty() && expected.isEmpty()) {
            send(new Batch(again, batch.late, true));
            return;
        }
        // Something was asked since: what comes too late for its turn is not sent again, but the next one is, in full.
        again.forEach(this::noteUnknown);
        if (batch.late != null) {
            batch.late.run();
        }
    }

    private void noteUnknown(Call call) {
        Script script = call.script();
        if (script != null) {
            unknown.add(script);
        }
    }

    public void cut() {
        line.cut();
    }

    /** Says of everything that is still owed that it will not be answered. The connection is of no use any more. */
    public void abandon() {
        for (Batch batch = expected.poll(); batch != null; batch = expected.poll()) {
            if (batch.late != null) {
                BrokenExchange why = BrokenExchange.afterSending(
                        where + " did not answer", false, new IOException("the connection was given up"));
                batch.calls.forEach(call -> call.failed(why));
                batch.late.run();
            }
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
