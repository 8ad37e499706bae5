package dev.holdfast.server.api;

import dev.holdfast.DistributedSemaphore;
import dev.holdfast.LockOptions;
import dev.holdfast.server.Limits;
import dev.holdfast.server.lease.Ask;
import dev.holdfast.server.lease.Asker;
import dev.holdfast.server.lease.HeldLease;
import dev.holdfast.server.lease.LeaseId;
import dev.holdfast.server.lease.LeaseRequests;
import dev.holdfast.server.lease.Leases;
import dev.holdfast.server.lease.StoreLink;
import dev.holdfast.server.lease.StoreThreads;
import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import dev.holdfast.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Acquires, renews and releases. */
final class LeaseApi {
    static final Duration USUAL_LEASE = Duration.ofSeconds(30);
    private static final String KEY = "Idempotency-Key";
    private static final int LONGEST_KEY = 200;
    private static final Set<String> ASKED = Set.of("wait", "lease", "kind", "permits", "capacity", "names", "label");
    private static final Set<String> RENEWED = Set.of("lease");

    private final StoreLink link;
    private final StoreThreads threads;
    private final Leases leases;
    private final LeaseRequests requests;
    private final Limits limits;
    private final Consumer<Throwable> defects;

    LeaseApi(
            StoreLink link,
            StoreThreads threads,
            Leases leases,
            LeaseRequests requests,
            Limits limits,
            Consumer<Throwable> defects) {
        this.link = link;
        this.threads = threads;
        this.leases = leases;
        this.requests = requests;
        this.limits = limits;
        this.defects = defects;
    }

    /** {@code POST /v1/locks/{name}/leases}. */
    void acquire(Call call, Client client, String name) {
        Ask ask = ask(call, client, name);
        ask.names().forEach(each -> client.need(Client.Role.LOCK, each));
        Runnable whenGone = requests.acquire(
                ask,
                new Asker() {
                    @Override
                    public boolean isGone() {
                        return call.isGone();
                    }

                    @Override
                    public boolean granted(HeldLease lease, Consumer<Boolean> whenWritten) {
                        return call.answer(201, json(lease, call), whenWritten);
                    }

                    @Override
                    public void refused(Problem problem) {
                        call.fail(problem);
                    }
                },
                call.arrivedNanos());
        call.onGone(whenGone);
    }

    /** {@code PUT /v1/leases/{leaseId}}. */
    void renew(Call call, Client client, String leaseId) {
        LeaseId id = leaseOf(client, leaseId);
        Duration lease = checkLease(Body.of(call, RENEWED).duration("lease", id.lease()));
        threads.keep(() -> Api.answering(call, defects, () -> {
            HeldLease renewed = leases.renew(id, lease);
            if (renewed.validUntilNanos() <= link.now()) {
                throw new Problem(Code.CANNOT_TELL, "the store's answer took longer than the lease; renew it again");
            }
            call.answer(200, json(renewed, call));
        }));
    }

    /** {@code DELETE /v1/leases/{leaseId}}. */
    void release(Call call, Client client, String leaseId) {
        LeaseId id = leaseOf(client, leaseId);
        threads.keep(() -> Api.answering(call, defects, () -> {
            leases.release(id);
            call.answerNothing();
        }));
    }

    LeaseId leaseOf(Client client, String leaseId) {
        client.need(Client.Role.LOCK);
        LeaseId id = leases.read(leaseId, client.name());
        id.names().forEach(name -> client.need(Client.Role.LOCK, name));
        return id;
    }

    /** What a client is told of its lease; computed at the last moment. */
    Map<String, Object> json(HeldLease lease, Call call) {
        LeaseId id = lease.id();
        Map<String, Object> tokens = new LinkedHashMap<>();
        List<Long> epochTokens = id.tokens();
        for (int i = 0; i < epochTokens.size(); i++) {
            // Beyond 2^53 a number is not safe in JSON.
            tokens.put(id.names().get(i), Long.toString(epochTokens.get(i)));
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("leaseId", lease.text());
        json.put("name", id.names().get(0));
        json.put("token", Long.toString(epochTokens.get(0)));
        json.put("names", id.names());
        json.put("tokens", tokens);
        json.put("kind", id.kind().word());
        if (id.kind() == Ask.Kind.PERMIT) {
            json.put("permits", id.units());
            json.put("capacity", id.capacity());
        }
        json.put("leaseMillis", id.lease().toMillis());
        json.put("remainingMillis", millis(lease.validUntilNanos() - link.now()));
        json.put("validForMillis", millis(lease.validUntilNanos() - call.arrivedNanos()));
        json.put("idempotencyKey", id.key());
        json.put("repeated", lease.repeated());
        return json;
    }

    static long millis(long nanos) {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    private Ask ask(Call call, Client client, String name) {
        Body body = Body.of(call, ASKED);
        Ask.Kind kind = kind(body.text("kind"));
        Set<String> names = new TreeSet<>(body.texts("names"));
        names.add(name);
        if (names.size() > limits.mostNames()) {
            throw Body.wrong("names", "at most " + limits.mostNames() + " names can be asked for at once");
        }
        if (names.size() > 1 && kind != Ask.Kind.EXCLUSIVE) {
            throw Body.wrong("names", "several names can only be locked exclusively");
        }
        Duration wait = body.duration("wait", Duration.ZERO);
        if (wait.compareTo(limits.longestWait()) > 0) {
            throw Body.wrong(
                    "wait",
                    "at most " + limits.longestWait().toSeconds() + "s can be waited in one request;"
                            + " ask again with the same " + KEY + " to wait for longer");
        }
        Duration lease = checkLease(body.duration("lease", USUAL_LEASE));
        String label = body.text("label");
        String key = key(call);
        Integer capacity = body.number("capacity");
        Integer permits = body.number("permits");
        if (kind != Ask.Kind.PERMIT && (capacity != null || permits != null)) {
            throw Body.wrong("permits", "'permits' and 'capacity' need \"kind\": \"permit\"");
        }
        int units = 1;
        int all = 1;
        if (kind == Ask.Kind.PERMIT) {
            if (capacity == null) {
                throw Body.wrong("capacity", "how many permits there are is needed, such as 3");
            }
            units = permits == null ? 1 : permits;
            all = capacity;
        } else if (kind != Ask.Kind.EXCLUSIVE) {
            units = kind == Ask.Kind.WRITE ? Claim.MANY : 1;
            all = Claim.MANY;
        }
        check(name, names, kind, units, all, lease, label == null ? "" : label);
        return new Ask(
                client.name(),
                client.shownAs(),
                key == null ? UUID.randomUUID().toString() : key,
                key != null,
                name,
                new ArrayList<>(names),
                kind,
                units,
                all,
                lease,
                wait,
                label == null ? "" : label);
    }

    /** The library has the rules for names, labels, leases and capacities, and the words for them. */
    private void check(
            String name, Set<String> names, Ask.Kind kind, int units, int capacity, Duration lease, String label) {
        try {
            LockOptions options = LockOptions.defaults().withLeaseTime(lease).withLabel(label);
            switch (kind) {
                case EXCLUSIVE -> link.client().all(new ArrayList<>(names), options);
                case READ, WRITE -> link.client().readWriteLock(name, options);
                case PERMIT -> {
                    DistributedSemaphore semaphore = link.client().semaphore(name, capacity, options);
                    semaphore.permits(units);
                }
            }
        } catch (IllegalArgumentException impossible) {
            throw new Problem(Code.INVALID, String.valueOf(impossible.getMessage()));
        }
    }

    private Duration checkLease(Duration lease) {
        if (lease.compareTo(limits.shortestLease()) < 0 || lease.compareTo(limits.longestLease()) > 0) {
            throw Body.wrong(
                    "lease",
                    "must be from " + limits.shortestLease().toMillis() + "ms to "
                            + limits.longestLease().toSeconds() + "s");
        }
        return lease;
    }

    private static Ask.Kind kind(@Nullable String word) {
        if (word == null) {
            return Ask.Kind.EXCLUSIVE;
        }
        for (Ask.Kind kind : Ask.Kind.values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw Body.wrong("kind", "must be \"exclusive\", \"read\", \"write\" or \"permit\"");
    }

    private static @Nullable String key(Call call) {
        String key = call.header(KEY);
        if (key == null) {
            return null;
        }
        if (call.count(KEY) > 1
                || key.isEmpty()
                || key.getBytes(StandardCharsets.UTF_8).length > LONGEST_KEY
                || key.chars().anyMatch(c -> c <= ' ' || c >= 127)) {
            throw new Problem(
                    Code.INVALID,
                    "'" + KEY + "' must be given once, with 1 to " + LONGEST_KEY + " visible ASCII characters");
        }
        return key;
    }
}
