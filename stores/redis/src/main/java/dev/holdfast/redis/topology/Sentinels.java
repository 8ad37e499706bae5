package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Keys;
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
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

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

    private final List<HostAndPort> addresses;
    private final String masterName;
    private final ConnectionSettings settings;
    private final Executor parallel;

    /** What one sentinel said, or why it did not. */
    private record Word(
            @Nullable Promotion promotion, @Nullable RuntimeException failure) {}

    public Sentinels(List<HostAndPort> addresses, String masterName, ConnectionSettings settings, Executor parallel) {
        this.addresses = addresses;
        this.masterName = masterName;
        this.settings = settings;
        this.parallel = parallel;
    }

    /**
     * Asks for the present master.
     *
     * @throws BrokenExchange if no sentinel answers
     * @throws JedisException if they refuse
     */
    Promotion ask() {
        BlockingQueue<Word> words = new LinkedBlockingQueue<>();
        for (HostAndPort address : addresses) {
            Runnable question = () -> words.add(ask(address));
            try {
                parallel.execute(question);
            } catch (RejectedExecutionException closing) {
                question.run();
            }
        }
        Promotion newest = null;
        RuntimeException failure = null;
        int promotions = 0;
        long until = System.nanoTime() + settings.timeoutNanos();
        for (int heard = 0; heard < addresses.size() && 2 * promotions <= addresses.size(); heard++) {
            Word word = next(words, until - System.nanoTime());
            if (word == null) {
                break;
            }
            Promotion told = word.promotion;
            if (told == null) {
                failure = word.failure;
            } else {
                promotions++;
                newest = newest == null || told.generation() > newest.generation() ? told : newest;
            }
        }
        if (newest != null) {
            return newest;
        }
        throw failure != null
                ? failure
                : BrokenExchange.beforeSending("no sentinel answers", new TimeoutException("no answer in time"));
    }

    private static @Nullable Word next(BlockingQueue<Word> words, long nanos) {
        try {
            return words.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private Word ask(HostAndPort sentinel) {
        try (Connection connection = settings.connect(sentinel)) {
            connection.sendCommand(Command.SENTINEL, MASTER, Keys.bytes(masterName));
            connection.sendCommand(Command.SENTINEL, MASTER_ADDRESS, Keys.bytes(masterName));
            List<Object> answers = connection.getMany(2);
            for (Object answer : answers) {
                if (answer instanceof RuntimeException refused) {
                    return new Word(null, refused);
                }
            }
            return new Word(promotion(Answers.list(answers.get(0)), Answers.list(answers.get(1))), null);
        } catch (JedisConnectionException unreachable) {
            return new Word(null, BrokenExchange.beforeSending("no sentinel answers", unreachable));
        } catch (JedisException | IllegalStateException unexpected) {
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
