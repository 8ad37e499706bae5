package dev.holdfast.redis.wire;

import dev.holdfast.spi.ServerClock;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One command to a server and, later, its answer. Made and read by one thread; sent and answered by another perhaps,
 * with a happens-before edge through the {@link Exchange} that carries it.
 */
public final class Call {
    private static final byte[] ONE = {'1'};
    private static final byte[] NO_KEY = {};

    private final Command verb;
    private final byte[][] arguments;
    private final @Nullable Script script;
    private final byte[] key;

    /** The whole command as it is sent, if it was needed already; shared by calls that ask the same of several nodes. */
    private byte @Nullable [] encoded;

    /** Send the whole script, because the server does not know it by its digest. */
    private boolean inFull;

    /** The server that the slot is on its way to, if the call was sent after it. */
    private @Nullable Server sentTo;

    private boolean once;

    /** What the last argument says of the server, which is known when the call is sent. */
    private enum Stamped {
        NOTHING,
        GENERATION,
        GENERATION_AND_PLACE
    }

    private Stamped stamped = Stamped.NOTHING;

    /** The generation of the server that it is sent to. */
    private long generation;

    /** It was sent before, and nobody knows whether it took effect. */
    private boolean repeated;

    /** The last answer tells everything that it has done: no earlier attempt has done a part of it. */
    private boolean answersForAll = true;

    private @Nullable ServerClock clock;
    private int acknowledged;
    private @Nullable Object answer;
    private @Nullable RuntimeException failure;

    private Call(Command verb, byte[][] arguments, @Nullable Script script, byte[] key) {
        this.verb = verb;
        this.arguments = arguments;
        this.script = script;
        this.key = key;
    }

    /** Runs a script over one name. */
    public static Call of(Script script, byte[] key, byte[]... arguments) {
        byte[][] all = new byte[arguments.length + 3][];
        all[0] = script.digest();
        all[1] = ONE;
        all[2] = key;
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return new Call(Command.EVALSHA, all, script, key);
    }

    /** Runs a script over several names. */
    public static Call of(Script script, List<byte[]> keys, List<byte[]> arguments) {
        byte[][] all = new byte[keys.size() + arguments.size() + 2][];
        all[0] = script.digest();
        all[1] = Keys.bytes(Integer.toString(keys.size()));
        for (int i = 0; i < keys.size(); i++) {
            all[i + 2] = keys.get(i);
        }
        for (int i = 0; i < arguments.size(); i++) {
            all[keys.size() + i + 2] = arguments.get(i);
        }
        return new Call(Command.EVALSHA, all, script, keys.get(0));
    }

    /** Sends a plain command. */
    public static Call of(Command verb, byte[]... arguments) {
        return new Call(verb, arguments, null, NO_KEY);
    }

    /** {@return the key that decides which server is asked} */
    public byte[] key() {
        return key;
    }

    /** Writes the command, and tells how many answers it will have. */
    public int send(ServerConnection line) {
        Connection connection = line.connection();
        if (stamped != Stamped.NOTHING) {
            byte[] place = stamped == Stamped.GENERATION_AND_PLACE ? Keys.bytes(line.place()) : NO_KEY;
            arguments[arguments.length - 1] = Stamp.of(generation, sentTo != null, place);
        }
        if (sentTo != null) {
            connection.send(Command.ASKING);
        }
        if (inFull && script != null) {
            byte[][] whole = arguments.clone();
            whole[0] = script.text();
            connection.send(Command.EVAL, whole);
        } else {
            connection.send(verb, arguments);
        }
        return sentTo != null ? 2 : 1;
    }

    /** {@return the command as it is sent to a node} */
    public byte[] encoded() {
        if (inFull && script != null) {
            byte[][] whole = arguments.clone();
            whole[0] = script.text();
            return Encoding.of(Command.EVAL, whole);
        }
        byte[] known = encoded;
        if (known == null) {
            known = Encoding.of(verb, arguments);
            encoded = known;
        }
        return known;
    }

    /** {@return another call that asks the same} */
    public Call twin() {
        Call twin = new Call(verb, arguments, script, key);
        twin.encoded = encoded();
        twin.once = once;
        return twin;
    }

    /** Takes its answer from what the server said, beginning at an index; returns the index behind it. */
    int take(List<@Nullable Object> answers, int at) {
        int own = sentTo != null ? at + 1 : at;
        answered(answers.get(own));
        return own + 1;
    }

    public void answered(@Nullable Object said) {
        if (said instanceof RuntimeException refused) {
            failure = refused;
            answer = null;
        } else {
            failure = null;
            answer = said;
        }
    }

    public void failed(RuntimeException why) {
        failure = why;
        answer = null;
    }

    /**
     * Adds a stamp of the server as the last argument.
     *
     * @param withPlace so that those whom the script tells know whose time it tells
     */
    public Call stamped(boolean withPlace) {
        byte[][] more = Arrays.copyOf(arguments, arguments.length + 1);
        more[arguments.length] = NO_KEY;
        Call call = new Call(verb, more, script, key);
        call.stamped = withPlace ? Stamped.GENERATION_AND_PLACE : Stamped.GENERATION;
        return call;
    }

    /** Says under which generation it is sent. */
    public void under(long serversGeneration) {
        generation = serversGeneration;
    }

    /** {@return under which generation it was sent last} */
    public long generation() {
        return generation;
    }

    /** Says that it must not be sent twice, because the second answer would be another one. */
    public Call once() {
        once = true;
        return this;
    }

    public boolean mayBeRepeated() {
        return !once && !repeated;
    }

    /** Prepares to be sent again, after it may have taken effect. */
    public void repeat() {
        repeated = true;
        sendAgain(null, false);
    }

    /** Prepares to be sent again, because keys were on the move; perhaps after a part of it has taken effect. */
    public void sendAfterMove(boolean mayHaveTakenEffect) {
        answersForAll &= !mayHaveTakenEffect;
        sendAgain(null, false);
    }

    /** {@return whether it may have taken effect before it was answered} */
    public boolean isRepeated() {
        return repeated || !answersForAll;
    }

    /** Prepares to be sent again: to a server that is about to take over its slot, or in full. */
    public void sendAgain(@Nullable Server importer, boolean wholeScript) {
        sentTo = importer;
        inFull = wholeScript;
    }

    /** {@return the server it was sent on to, if it was} */
    @Nullable
    public Server sentTo() {
        return sentTo;
    }

    /** Notes whose answer it is, and how many replicas have acknowledged what it did. */
    public void answeredBy(ServerClock whose, int replicas) {
        clock = whose;
        acknowledged = replicas;
    }

    /** {@return the clock of the server that answered} */
    ServerClock clock() {
        return Objects.requireNonNull(clock, "not answered");
    }

    /** {@return how many replicas have acknowledged it} */
    public int acknowledged() {
        return acknowledged;
    }

    /** {@return the script, if it runs one} */
    @Nullable
    public Script script() {
        return script;
    }

    /** {@return what went wrong, if anything} */
    @Nullable
    public RuntimeException failure() {
        return failure;
    }

    /** {@return the server's word if it refused the command} */
    @Nullable
    public ServerRefusal refusal() {
        return failure instanceof ServerRefusal refused ? refused : null;
    }

    /** {@return the answer; null where the server's answer was nothing} */
    @Nullable
    public Object answer() {
        return answer;
    }
}
