package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.spi.Grant;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Looks at the lines of names, and takes names away. Thread-safe. */
final class Views {
    private static final int MOST_ATTEMPTS = 8;
    private static final int PAGE = 500;

    /** How many keys an eviction deletes in one transaction. */
    private static final int MOST_KEYS = 100;

    private static final Duration EVICTION_REMEMBERED = Duration.ofHours(1);
    private static final int EVICTION_LINES = 4;
    private static final String EVICTION = "holdfast eviction 1";

    private final Wire wire;
    private final Transactions transactions;

    Views(Wire wire, Transactions transactions) {
        this.wire = wire;
        this.transactions = transactions;
    }

    Optional<LockView> inspect(String name, Call call) {
        TxnResponse answer = wire.txn(transactions.look(name), call);
        Line line = Line.of(answer.getResponses(0).getResponseRange().getKvsList());
        Optional<LockView.Eviction> eviction =
                eviction(answer.getResponses(1).getResponseRange().getKvsList());
        return line.tickets().isEmpty() && eviction.isEmpty()
                ? Optional.empty()
                : Optional.of(view(name, line, eviction, new Lines(call)));
    }

    /** Reads page after page, in the order of names. */
    List<LockView> list(String prefix, int limit, Call call) {
        ByteString from = transactions.layout().locks(prefix);
        ByteString end = Layout.behind(from);
        Map<String, List<KeyValue>> byName = new LinkedHashMap<>();
        // One more than asked for, so that the line of the last is whole.
        for (boolean more = true; more && byName.size() <= limit; ) {
            TxnResponse answer = wire.txn(Transactions.page(from, end, PAGE), call);
            List<KeyValue> page = answer.getResponses(0).getResponseRange().getKvsList();
            for (KeyValue entry : page) {
                byName.computeIfAbsent(transactions.layout().name(entry.getKey()), name -> new ArrayList<>())
                        .add(entry);
            }
            more = answer.getResponses(0).getResponseRange().getMore();
            if (more) {
                from = page.get(page.size() - 1).getKey().concat(ByteString.copyFrom(new byte[1]));
            }
        }
        Lines lines = new Lines(call);
        byName.forEach((name, entries) -> lines.known.put(name, Line.of(entries)));
        return byName.keySet().stream()
                .sorted()
                .limit(limit)
                .map(name -> view(name, lines.of(name), Optional.empty(), lines))
                .toList();
    }

    /**
     * Deletes the keys of all holders, or of the one with an epoch, on all names of their claims, and writes down who wanted
     * it. Every transaction compares the revisions that made the keys, so that a later grant is never hit.
     */
    int evict(String name, OptionalLong epoch, String by, String reason, Call call) {
        int evicted = 0;
        for (int attempt = 0; attempt < MOST_ATTEMPTS; ) {
            Lines lines = new Lines(call);
            List<Ticket> holders = holders(name, lines.of(name), lines).stream()
                    .filter(holder -> epoch.isEmpty() || epoch.getAsLong() == holder.epoch())
                    .toList();
            if (holders.isEmpty()) {
                return evicted;
            }
            List<Transactions.Made> keys = new ArrayList<>();
            int some = 0;
            for (Ticket holder : holders) {
                List<Transactions.Made> all = keysOf(holder, lines);
                if (!keys.isEmpty() && keys.size() + all.size() > MOST_KEYS) {
                    break;
                }
                keys.addAll(all);
                some++;
            }
            long lease = wire.grantLease(EVICTION_REMEMBERED.toSeconds(), call).getID();
            if (wire.txnOnce(transactions.evict(name, keys, record(by, reason), lease), call)
                    .getSucceeded()) {
                evicted += some;
                if (some == holders.size()) {
                    return evicted;
                }
            } else {
                attempt++;
            }
        }
        throw call.unavailable(new IllegalStateException("the holders changed again and again"));
    }

    private static List<Transactions.Made> keysOf(Ticket holder, Lines lines) {
        List<Transactions.Made> keys = new ArrayList<>();
        for (String name : holder.names()) {
            Line line = lines.of(name);
            int index = line.indexOf(holder.owner());
            if (index >= 0) {
                Ticket ticket = line.tickets().get(index);
                keys.add(new Transactions.Made(ticket.key(), ticket.revision()));
            }
        }
        return keys;
    }

    /** A claim over several names holds when it fits in every line. */
    private static List<Ticket> holders(String name, Line line, Lines lines) {
        List<Ticket> holders = new ArrayList<>();
        for (int i = 0; i < line.tickets().size(); i++) {
            Ticket ticket = line.tickets().get(i);
            boolean fits = line.fits(i);
            for (String other : fits ? ticket.names() : List.<String>of()) {
                if (fits && !other.equals(name)) {
                    Line elsewhere = lines.of(other);
                    int index = elsewhere.indexOf(ticket.owner());
                    fits = index >= 0 && elsewhere.fits(index);
                }
            }
            if (fits) {
                holders.add(ticket);
            }
        }
        return holders;
    }

    private static LockView view(String name, Line line, Optional<LockView.Eviction> eviction, Lines lines) {
        lines.known.put(name, line);
        long now = System.currentTimeMillis();
        List<Ticket> holding = holders(name, line, lines);
        List<LockView.Holder> holders = new ArrayList<>();
        List<LockView.Waiter> waiters = new ArrayList<>();
        for (Ticket ticket : line.tickets()) {
            Duration since = Duration.ofMillis(Math.max(0, now - ticket.sinceMillis()));
            if (holding.contains(ticket)) {
                holders.add(new LockView.Holder(
                        ticket.clientName(),
                        ticket.label(),
                        ticket.units(),
                        Grant.token(ticket.epoch(), 0),
                        since,
                        Optional.empty()));
            } else if (ticket.waits()) {
                waiters.add(new LockView.Waiter(ticket.clientName(), ticket.label(), ticket.units(), since));
            }
        }
        boolean empty = line.tickets().isEmpty();
        return new LockView(
                name,
                empty ? LockKind.EXCLUSIVE : line.tickets().get(0).kind(),
                empty ? 1 : line.tickets().get(0).capacity(),
                holders,
                waiters,
                eviction);
    }

    private static ByteString record(String by, String reason) {
        return ByteString.copyFromUtf8(
                EVICTION + "\n" + System.currentTimeMillis() + "\n" + by.replace('\n', ' ') + "\n" + reason);
    }

    private static Optional<LockView.Eviction> eviction(List<KeyValue> found) {
        String[] lines = found.isEmpty()
                ? new String[0]
                : found.get(0).getValue().toStringUtf8().split("\n", EVICTION_LINES);
        if (lines.length < EVICTION_LINES || !lines[0].equals(EVICTION)) {
            return Optional.empty();
        }
        long ago = System.currentTimeMillis() - Long.parseLong(lines[1]);
        return Optional.of(new LockView.Eviction(lines[2], lines[3], Duration.ofMillis(Math.max(0, ago))));
    }

    /** Lines that were read for one look, each once. */
    private final class Lines {
        private final Call call;
        private final Map<String, Line> known = new HashMap<>();

        Lines(Call call) {
            this.call = call;
        }

        Line of(String name) {
            Line line = known.get(name);
            if (line == null) {
                TxnResponse answer = wire.txn(transactions.readLines(List.of(name), false), call);
                line = Line.of(answer.getResponses(0).getResponseRange().getKvsList());
                known.put(name, line);
            }
            return line;
        }
    }
}
