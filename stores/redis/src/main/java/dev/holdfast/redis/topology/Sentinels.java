package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerRefusal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks sentinels who is master, all at once. As soon as most of them have answered, the newest promotion that any of them
 * knows counts: one that is cut off with an old master is outvoted. No promotion is decided before most sentinels know the
 * one before it, so what most of them say is at most one promotion old. If most do not answer, none can be decided, and the
 * newest word of the others counts. Thread-safe.
 */
public final class Sentinels {
    private static final byte[] MASTER = Keys.bytes("master");
    private static final byte[] MASTER_ADDRESS = Keys.bytes("get-master-addr-by-name");

    /** The states of a failover in which its new master is chosen already, but not yet called the master. */
    private static final Set<String> PROMOTED = Set.of("reconf_slaves", "update_config");

    private final List<Server> servers;
    private final String masterName;
    private final Executor parallel;

    /** What one sentinel said, or why it did not. */
    private record Word(
            @Nullable Promotion promotion, @Nullable RuntimeException failure) {}

    public Sentinels(List<Server> servers, String masterName, Executor parallel) {
        this.servers = servers;
        this.masterName = masterName;
        this.parallel = parallel;
    }

    /**
     * Asks for the present master.
     *
     * @throws BrokenExchange if no sentinel answers
     * @throws ServerRefusal if they all refuse
     */
    Promotion ask(Deadline deadline) {
        BlockingQueue<Word> words = new LinkedBlockingQueue<>();
        int begun = 0;
        for (Server sentinel : servers) {
            begun += begin(sentinel, words, deadline) ? 1 : 0;
        }
        Promotion newest = null;
        RuntimeException failure = null;
        int promotions = 0;
        int heard = 0;
        while (heard < begun && 2 * promotions <= servers.size()) {
            Word word = next(words, deadline.leftNanos());
            if (word == null) {
                break;
            }
            heard++;
            Promotion told = word.promotion;
            if (told == null) {
                // One that is wrongly set up is not the end, as long as others may answer.
                failure = failure instanceof BrokenExchange ? failure : word.failure;
            } else {
                promotions++;
                newest = newest == null || told.generation() > newest.generation() ? told : newest;
            }
        }
        if (newest != null) {
            return newest;
        }
        throw failure != null && heard == servers.size()
                ? failure
                : BrokenExchange.beforeSending("no sentinel answers", new TimeoutException("no answer in time"));
    }

    void close() {
        servers.forEach(Server::close);
    }

    private boolean begin(Server sentinel, BlockingQueue<Word> words, Deadline deadline) {
        try {
            parallel.execute(() -> words.add(ask(sentinel, deadline)));
            return true;
        } catch (RejectedExecutionException closing) {
            return false;
        }
    }

    private static @Nullable Word next(BlockingQueue<Word> words, long nanos) {
        try {
            return words.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private Word ask(Server sentinel, Deadline deadline) {
        List<Call> questions = List.of(
                Call.of(Command.SENTINEL, MASTER, Keys.bytes(masterName)),
                Call.of(Command.SENTINEL, MASTER_ADDRESS, Keys.bytes(masterName)));
        try {
            sentinel.carry(new Exchange(questions, null, deadline));
            for (Call question : questions) {
                if (question.failure() != null) {
                    return new Word(null, question.failure());
                }
            }
            return new Word(
                    promotion(
                            Answers.list(questions.get(0).answer()),
                            Answers.list(questions.get(1).answer())),
                    null);
        } catch (BrokenExchange unreachable) {
            return new Word(null, BrokenExchange.beforeSending("no sentinel answers", unreachable));
        } catch (RuntimeException unexpected) {
            return new Word(null, unexpected);
        }
    }

    /**
     * Address and epoch must belong together. Between a promotion and the end of its failover, a sentinel tells the new
     * epoch beside the old address, and only the second answer has the new address.
     */
    private static Promotion promotion(List<?> fields, List<?> address) {
        Map<String, String> facts = new HashMap<>();
        for (int i = 0; i + 1 < fields.size(); i += 2) {
            facts.put(Answers.text(fields.get(i)), Answers.text(fields.get(i + 1)));
        }
        boolean promoted = PROMOTED.contains(facts.getOrDefault("failover-state", ""));
        String host = promoted ? Answers.text(address.get(0)) : fact(facts, "ip");
        String port = promoted ? Answers.text(address.get(1)) : fact(facts, "port");
        return new Promotion(
                new HostAndPort(host, Integer.parseInt(port)), Long.parseLong(fact(facts, "config-epoch")));
    }

    private static String fact(Map<String, String> facts, String name) {
        String value = facts.get(name);
        if (value == null) {
            throw new IllegalStateException("the sentinel does not tell the master's " + name);
        }
        return value;
    }
}
