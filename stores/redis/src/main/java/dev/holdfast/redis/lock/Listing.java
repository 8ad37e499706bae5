package dev.holdfast.redis.lock;

import dev.holdfast.LockView;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.topology.CallRouter;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.redis.wire.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Looks at names. Thread-safe. */
final class Listing {
    private static final String MATCH = "MATCH";
    private static final String COUNT = "COUNT";
    private static final String KEYS_PER_SCAN = "1000";
    private static final int MOST_SCANS = 1_000_000;
    private static final String START = "0";

    private final Keys keys;
    private final CallRouter router;

    Listing(Keys keys, CallRouter router) {
        this.keys = keys;
        this.router = router;
    }

    Optional<LockView> inspect(String name) {
        Call call = inspection(name);
        router.deliver(call, null);
        return view(name, call);
    }

    /** The first names in order, of all servers; keys come in no order, so all of them are looked at. */
    List<LockView> list(String prefix, int limit) {
        TreeMap<String, LockView> first = new TreeMap<>();
        try {
            for (Server server : router.deployment().masters(router.newDeadline())) {
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
            router.deliverTo(server, call);
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
        router.deliver(calls, null);
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
        return router.deployment().stamp(Call.of(Script.INSPECT, keys.head(name)));
    }

    private static Optional<LockView> view(String name, Call call) {
        if (call.failure() != null) {
            throw Faults.of("inspect", name, call.failure());
        }
        return Views.read(name, call.answer(), call.generation());
    }
}
