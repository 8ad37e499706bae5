package dev.holdfast.redis;

import dev.holdfast.LockView;
import dev.holdfast.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import redis.clients.jedis.Protocol.Command;

/** Looks at names. Thread-safe. */
final class Listing {
    private static final String MATCH = "MATCH";
    private static final String COUNT = "COUNT";
    private static final String KEYS_PER_SCAN = "1000";
    private static final int MOST_SCANS = 1_000_000;
    private static final String START = "0";

    private final Keys keys;
    private final Courier courier;

    Listing(Keys keys, Courier courier) {
        this.keys = keys;
        this.courier = courier;
    }

    Optional<LockView> inspect(String name) {
        Call call = inspection(name);
        courier.deliver(call, null);
        return view(name, call);
    }

    /** The first names in order, of all servers; keys come in no order, so all of them are looked at. */
    List<LockView> list(String prefix, int limit) {
        TreeMap<String, LockView> first = new TreeMap<>();
        try {
            for (Server server : courier.deployment().masters()) {
                scan(server, prefix, limit, first);
            }
        } catch (BrokenExchange unknown) {
            throw Faults.of("list", prefix, unknown);
        }
        return List.copyOf(first.values());
    }

    private void scan(Server server, String prefix, int limit, TreeMap<String, LockView> first) {
        byte[] pattern = keys.pattern(prefix);
        byte[] cursor = Keys.bytes(START);
        for (int i = 0; i < MOST_SCANS; i++) {
            Call call = Call.of(
                    Command.SCAN, cursor, Keys.bytes(MATCH), pattern, Keys.bytes(COUNT), Keys.bytes(KEYS_PER_SCAN));
            courier.deliverTo(server, call);
            if (call.failure() != null) {
                throw Faults.of("list", prefix, call.failure());
            }
            List<?> fields = Answers.list(call.answer());
            add(Answers.list(fields.get(1)), limit, first);
            cursor = Answers.bytes(fields.get(0));
            if (Answers.text(cursor).equals(START)) {
                return;
            }
        }
        throw new StoreUnavailableException(
                "list", prefix, new IllegalStateException("the database has too many keys to look at"));
    }

    private void add(List<?> heads, int limit, TreeMap<String, LockView> first) {
        List<String> names = new ArrayList<>();
        List<Call> calls = new ArrayList<>();
        for (Object head : heads) {
            String name = keys.name(Answers.bytes(head));
            if (first.size() < limit || name.compareTo(first.lastKey()) < 0) {
                names.add(name);
                calls.add(inspection(name));
            }
        }
        courier.deliver(calls, null);
        for (int i = 0; i < calls.size(); i++) {
            view(names.get(i), calls.get(i))
                    .filter(view -> !view.holders().isEmpty() || !view.waiters().isEmpty())
                    .ifPresent(view -> first.put(view.name(), view));
            if (first.size() > limit) {
                first.pollLastEntry();
            }
        }
    }

    private Call inspection(String name) {
        return courier.deployment().stamp(Call.of(Script.INSPECT, keys.head(name)));
    }

    private static Optional<LockView> view(String name, Call call) {
        if (call.failure() != null) {
            throw Faults.of("inspect", name, call.failure());
        }
        return Views.read(name, call.answer(), call.generation());
    }
}
