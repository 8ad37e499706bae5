package dev.holdfast.redis.redlock;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/** Looks at names on all nodes, and takes them away. A holder is whoever has a quorum. Thread-safe. */
final class RedlockListing {
    private static final int LOOKED_AT_ONCE = 100;
    private static final int MOST_SCANS = 1_000_000;
    private static final String START = "0";
    private static final byte[] NO_CURSOR = {};

    /** Where the holders begin in what a node shows. */
    private static final int FIRST_HOLDER = 4;

    private final Nodes nodes;
    private final RedlockCalls calls;

    /** What one node knows of a holder. */
    private record Seen(byte kind, ByteBuffer owner, long leftMillis, long epoch, long ageMillis, String text) {}

    RedlockListing(Nodes nodes, RedlockCalls calls) {
        this.nodes = nodes;
        this.calls = calls;
    }

    Optional<LockView> inspect(String name) {
        return inspect(List.of(name), "inspect").get(0);
    }

    /** The first names in order; keys come in no order, so all of them are looked at, on all nodes that answer. */
    List<LockView> list(String prefix, int limit) {
        TreeSet<String> names = scan(prefix);
        TreeMap<String, LockView> first = new TreeMap<>();
        List<String> all = List.copyOf(names);
        for (int from = 0; from < all.size() && first.size() < limit; from += LOOKED_AT_ONCE) {
            for (Optional<LockView> view :
                    inspect(all.subList(from, Math.min(all.size(), from + LOOKED_AT_ONCE)), "list")) {
                view.filter(seen -> !seen.holders().isEmpty() && first.size() < limit)
                        .ifPresent(seen -> first.put(seen.name(), seen));
            }
        }
        return List.copyOf(first.values());
    }

    /** {@return how many holders were evicted that may have had a quorum: one, if they were no readers} */
    int evict(String name, OptionalLong epoch, String by, String reason) {
        QuorumRound round = nodes.askAll(node -> List.of(calls.evict(name, epoch, by, reason)), nodes.deadline());
        round.leave(node -> {});
        Map<ByteBuffer, Integer> evicted = new HashMap<>();
        int answered = 0;
        boolean readers = false;
        for (int node = 0; node < nodes.count(); node++) {
            for (Call call : round.answers(node)) {
                if (call.failure() == null) {
                    answered++;
                    List<?> fields = Answers.list(call.answer());
                    readers |= Answers.bytes(fields.get(0))[0] == RedlockCalls.READER;
                    fields.subList(1, fields.size())
                            .forEach(owner -> evicted.merge(ByteBuffer.wrap(Answers.bytes(owner)), 1, Integer::sum));
                }
            }
        }
        checkQuorum("evict", name, answered, round);
        int silent = nodes.count() - answered;
        int holders = (int) evicted.values().stream()
                .filter(count -> count + silent >= nodes.quorum())
                .count();
        return readers ? holders : Math.min(1, holders);
    }

    /** All nodes side by side, each step of each node within the time that a node has to answer. */
    private TreeSet<String> scan(String prefix) {
        TreeSet<String> names = new TreeSet<>();
        byte[] pattern = calls.keys().pattern(prefix);
        byte[][] cursors = new byte[nodes.count()][];
        Arrays.fill(cursors, Keys.bytes(START));
        int scanned = 0;
        RuntimeException why = new IllegalStateException("the nodes have too many keys to look at");
        boolean more = true;
        for (int i = 0; i < MOST_SCANS && more; i++) {
            QuorumRound round = nodes.askAll(node -> scan(cursors[node], pattern), nodes.deadline());
            round.leave(node -> {});
            more = false;
            for (int node = 0; node < nodes.count(); node++) {
                if (cursors[node].length > 0) {
                    RuntimeException failure =
                            round.isAnswered(node) ? round.answers(node).get(0).failure() : round.failure(node);
                    cursors[node] = failure == null ? take(round.answers(node).get(0), names) : NO_CURSOR;
                    why = failure == null ? why : failure;
                    scanned += failure == null && cursors[node].length == 0 ? 1 : 0;
                    more |= cursors[node].length > 0;
                }
            }
        }
        if (scanned < nodes.quorum()) {
            throw Faults.of("list", prefix, why);
        }
        return names;
    }

    private static List<Call> scan(byte[] cursor, byte[] pattern) {
        return cursor.length == 0
                ? List.of()
                : List.of(Call.of(
                        Command.SCAN, cursor, Keys.bytes("MATCH"), pattern, Keys.bytes("COUNT"), Keys.bytes("1000")));
    }

    /** {@return where to go on; nowhere if that was all} */
    private byte[] take(Call answered, TreeSet<String> names) {
        List<?> fields = Answers.list(answered.answer());
        for (Object key : Answers.list(fields.get(1))) {
            if (calls.keys().isHead(Answers.bytes(key))) {
                names.add(calls.keys().name(Answers.bytes(key)));
            }
        }
        byte[] cursor = Answers.bytes(fields.get(0));
        return Answers.text(cursor).equals(START) ? NO_CURSOR : cursor;
    }

    private List<Optional<LockView>> inspect(List<String> names, String operation) {
        QuorumRound round =
                nodes.askAll(node -> names.stream().map(calls::inspect).toList(), nodes.deadline());
        round.leave(node -> {});
        List<Optional<LockView>> views = new ArrayList<>(names.size());
        for (int i = 0; i < names.size(); i++) {
            List<List<?>> answers = new ArrayList<>();
            for (int node = 0; node < nodes.count(); node++) {
                List<Call> answered = round.answers(node);
                if (!answered.isEmpty() && answered.get(i).failure() == null) {
                    answers.add(Answers.list(answered.get(i).answer()));
                }
            }
            checkQuorum(operation, names.get(i), answers.size(), round);
            views.add(view(names.get(i), answers));
        }
        return views;
    }

    private Optional<LockView> view(String name, List<List<?>> answers) {
        Map<ByteBuffer, List<Seen>> byOwner = new HashMap<>();
        LockView.Eviction eviction = null;
        for (List<?> fields : answers) {
            long ago = Answers.number(fields.get(0));
            if (ago < 0) {
                throw Answers.unreadable(name, Answers.text(fields.get(1)));
            }
            byte kind = Answers.bytes(fields.get(1))[0];
            for (Object holder : fields.subList(FIRST_HOLDER, fields.size())) {
                Seen seen = seen(kind, Answers.list(holder));
                byOwner.computeIfAbsent(seen.owner, owner -> new ArrayList<>()).add(seen);
            }
            if (fields.get(2) != null && fields.get(3) != null) {
                Duration since = Duration.ofMillis(ago);
                if (eviction == null || since.compareTo(eviction.ago()) < 0) {
                    eviction = new LockView.Eviction(Answers.text(fields.get(2)), Answers.text(fields.get(3)), since);
                }
            }
        }
        int silent = nodes.count() - answers.size();
        List<List<Seen>> held = byOwner.values().stream()
                .filter(seen -> seen.size() + silent >= nodes.quorum())
                .toList();
        if (held.isEmpty() && eviction == null) {
            return Optional.empty();
        }
        boolean shared = held.stream().anyMatch(seen -> seen.get(0).kind != RedlockCalls.LOCK);
        List<LockView.Holder> holders = held.stream()
                .map(this::holder)
                .sorted(Comparator.comparing(LockView.Holder::heldFor).reversed())
                .toList();
        return Optional.of(new LockView(
                name,
                shared ? LockKind.READ_WRITE : LockKind.EXCLUSIVE,
                shared ? Claim.MANY : 1,
                holders,
                List.of(),
                Optional.ofNullable(eviction)));
    }

    private static Seen seen(byte kind, List<?> fields) {
        return new Seen(
                kind,
                ByteBuffer.wrap(Answers.bytes(fields.get(3))),
                Answers.number(fields.get(0)),
                Answers.number(fields.get(1)),
                Answers.number(fields.get(2)),
                Answers.text(fields.get(4)));
    }

    /** The epoch that most nodes have; what is left until there is no quorum any more. */
    private LockView.Holder holder(List<Seen> seen) {
        Map<Long, Integer> epochs = new HashMap<>();
        seen.forEach(one -> epochs.merge(one.epoch, 1, Integer::sum));
        long epoch = epochs.entrySet().stream()
                .max(Map.Entry.<Long, Integer>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .orElse(0L);
        List<Seen> longest = seen.stream()
                .sorted(Comparator.comparingLong(Seen::leftMillis).reversed())
                .toList();
        long left = longest.get(Math.min(longest.size(), nodes.quorum()) - 1).leftMillis;
        long age = seen.stream().mapToLong(Seen::ageMillis).max().orElse(0);
        String[] lines = seen.get(0).text.split("\n", 2);
        return new LockView.Holder(
                lines[0],
                lines.length > 1 ? lines[1] : "",
                seen.get(0).kind == RedlockCalls.WRITER ? Claim.MANY : 1,
                Grant.token(epoch, 0),
                Duration.ofMillis(Math.max(0, age)),
                Optional.of(Duration.ofMillis(Math.max(0, left - 1))));
    }

    private void checkQuorum(String operation, String name, int answered, QuorumRound round) {
        if (answered >= nodes.quorum()) {
            return;
        }
        RuntimeException why = new IllegalStateException(answered + " of " + nodes.count() + " nodes answered");
        for (int node = 0; node < nodes.count(); node++) {
            for (Call call : round.answers(node)) {
                why = call.failure() == null ? why : call.failure();
            }
            RuntimeException failure = round.failure(node);
            why = failure == null ? why : failure;
        }
        throw Faults.of(operation, name, why);
    }
}
