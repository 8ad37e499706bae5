package dev.holdfast.redis.redlock;

import dev.holdfast.redis.wire.AnswerBuffer;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.redis.wire.ServerRefusal;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a node, at which nobody waits: connecting, logging in, asking and reading the answers go on as far as
 * they can whenever somebody looks ({@link #advance}). So a thread asks all nodes before it reads from the first, and none of
 * them keeps it from the others. What one round has asked and not waited for is read by the next, before its own answers,
 * which come behind. Used by one thread at a time; only {@link #cut} by others.
 */
final class NodeConnection {
    private static final long NOTHING_OWED = Long.MIN_VALUE;

    private final NodeChannel channel;
    private final AnswerBuffer replies = new AnswerBuffer();
    private final String where;

    /** Scripts that the node was seen not to know; shared by its connections. */
    private final Set<Script> unknown;

    /** What to say before anything else; empty once that is said. */
    private final ArrayDeque<byte[]> login;

    /** So many answers to that are still to come. */
    private int loginAnswers;

    /** What is sent before the first question, and need not be answered before it; so many answers are passed over. */
    private final List<byte[]> courtesy;

    private int courtesyAnswers;

    /** What was asked and is not answered yet, in order. */
    private final ArrayDeque<Batch> expected = new ArrayDeque<>();

    /** Whether the node lets us ask. */
    private boolean ready;

    private boolean usedBefore;

    /** When the last of those was asked that nobody waits for; also read by whoever looks for such. */
    private volatile long owedSinceNanos = NOTHING_OWED;

    /** Calls that were sent together. */
    private static final class Batch {
        private final List<Call> calls;

        /** How many of them are answered. */
        private int answered;

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
     * Makes one from a channel that may not be connected yet.
     *
     * @param login the commands that have to be answered before anything is asked
     * @param courtesy what is sent behind those; nobody waits for the answers, which may be refusals
     */
    NodeConnection(NodeChannel channel, List<byte[]> login, List<byte[]> courtesy, String where, Set<Script> unknown) {
        this.channel = channel;
        this.login = new ArrayDeque<>(login);
        this.courtesy = courtesy;
        this.where = where;
        this.unknown = unknown;
    }

    /** {@return whether the server may have closed it while it was idle} */
    boolean isStale() {
        return usedBefore;
    }

    /** {@return whether the node may have heard what was asked here} */
    boolean mayHaveArrived() {
        return ready;
    }

    /** {@return how many earlier and present questions are not answered yet} */
    int owed() {
        return expected.size();
    }

    /** Leaves the answers to what was sent last for whoever uses the connection next. */
    void owe(Runnable late, long sentNanos) {
        Batch last = expected.peekLast();
        if (last != null) {
            last.late = late;
            owedSinceNanos = sentNanos;
        }
    }

    /** {@return whether an answer is left to be read that somebody has asked for longer ago than that} */
    boolean hasOwedSince(long nanos) {
        return isOwed() && owedSinceNanos - nanos <= 0;
    }

    /** {@return whether an answer is left to be read} */
    boolean isOwed() {
        return owedSinceNanos != NOTHING_OWED;
    }

    /**
     * Sends calls as soon as that is possible, and does not wait for it.
     *
     * @throws BrokenExchange if the connection is broken
     */
    void send(List<Call> calls) {
        if (!unknown.isEmpty()) {
            for (Call call : calls) {
                Script script = call.script();
                if (script != null && unknown.remove(script)) {
                    call.sendAgain(null, true);
                }
            }
        }
        Batch batch = new Batch(calls, null, false);
        expected.add(batch);
        if (ready) {
            try {
                channel.send(encoded(batch.calls));
            } catch (IOException broken) {
                throw broken(broken);
            }
        } else {
            advance();
        }
    }

    /**
     * Does whatever can be done at once: connects, logs in, sends, and reads what has come.
     *
     * @return whether anything that was asked has been answered by it
     * @throws BrokenExchange if the connection is broken; then it is of no use any more
     * @throws ServerRefusal if the node does not let us in
     */
    boolean advance() {
        try {
            if (!channel.advance(replies)) {
                return false;
            }
            boolean goesOn = channel.receive(replies);
            if (!ready && !logIn()) {
                failIfOver(goesOn);
                return false;
            }
            boolean any = false;
            for (Batch next = expected.peek(); next != null && read(next); next = expected.peek()) {
                any = true;
            }
            usedBefore |= any;
            if (expected.isEmpty()) {
                owedSinceNanos = NOTHING_OWED;
            }
            if (!any || !expected.isEmpty()) {
                failIfOver(goesOn);
            }
            return any;
        } catch (IOException broken) {
            throw broken(broken);
        }
    }

    private static void failIfOver(boolean goesOn) throws IOException {
        if (!goesOn) {
            throw new EOFException("the node closed the connection");
        }
    }

    private BrokenExchange broken(IOException why) {
        return ready
                ? BrokenExchange.afterSending("the connection to " + where + " broke", usedBefore, why)
                : BrokenExchange.beforeSending(where + " cannot be reached", why);
    }

    /** Says who we are, and then what is waiting to be asked; a wrong database must not hear the question. */
    private boolean logIn() throws IOException {
        while (!login.isEmpty()) {
            channel.send(login.remove());
            loginAnswers++;
        }
        while (loginAnswers > 0) {
            Object answer = replies.next();
            if (answer == AnswerBuffer.INCOMPLETE) {
                return false;
            }
            if (answer instanceof ServerRefusal refused) {
                throw refused;
            }
            loginAnswers--;
        }
        ready = true;
        for (byte[] word : courtesy) {
            channel.send(word);
            courtesyAnswers++;
        }
        for (Batch waiting : expected) {
            channel.send(encoded(waiting.calls));
        }
        return true;
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
     * Reads what has come of the answers to the first calls that have none; false if not all have come. A refused command is
     * an answer; a script that the server does not know is sent in full.
     */
    private boolean read(Batch batch) throws IOException {
        while (courtesyAnswers > 0) {
            if (replies.next() == AnswerBuffer.INCOMPLETE) {
                return false;
            }
            courtesyAnswers--;
        }
        while (batch.answered < batch.calls.size()) {
            Object answer = replies.next();
            if (answer == AnswerBuffer.INCOMPLETE) {
                return false;
            }
            batch.calls.get(batch.answered++).answered(answer);
        }
        expected.remove();
        List<Call> again = batch.repeated ? List.of() : unknownScripts(batch.calls);
        if (!again.isEmpty() && expected.isEmpty()) {
            expected.add(new Batch(again, batch.late, true));
            channel.send(encoded(again));
            return true;
        }
        // Something was asked since: what comes too late for its turn is not sent again, but the next one is, in full.
        again.forEach(this::noteUnknown);
        if (batch.late != null) {
            batch.late.run();
        }
        return true;
    }

    private void noteUnknown(Call call) {
        Script script = call.script();
        if (script != null) {
            unknown.add(script);
        }
    }

    /** Lets a selector tell when there is something to go on with. */
    void register(Selector selector) {
        try {
            channel.register(selector);
        } catch (IOException closed) {
            throw broken(closed);
        }
    }

    void cut() {
        channel.close();
    }

    /** Says of everything that is still owed that it will not be answered. The connection is of no use any more. */
    void abandon() {
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
            ServerRefusal refusal = call.refusal();
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
