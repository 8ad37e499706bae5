package dev.holdfast.server.api;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.server.ServerLog;
import dev.holdfast.server.history.History;
import dev.holdfast.server.history.Holding;
import dev.holdfast.server.lease.StoreLink;
import dev.holdfast.server.lease.StoreThreads;
import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import dev.holdfast.spi.Grant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks at locks and takes them away. */
final class LookApi {
    /** What is listed at most; a store cannot begin in the middle, so pages are cut from this. */
    static final int MOST_LISTED = 20_000;

    private static final int LONGEST_PAGE = 10_000;

    private static final int USUAL_LIMIT = 100;
    private static final int LONGEST_REASON = 200;
    private static final String LARGEST_TOKEN = Long.toString(Long.MAX_VALUE);
    private static final int LONGEST_TOKEN = LARGEST_TOKEN.length();
    private static final Set<String> EVICTED = Set.of("token", "reason");
    private static final Set<String> LISTED = Set.of("prefix", "limit", "after");

    private final StoreLink link;
    private final StoreThreads threads;
    private final History history;
    private final ServerLog log;
    private final Consumer<Throwable> defects;

    LookApi(StoreLink link, StoreThreads threads, History history, ServerLog log, Consumer<Throwable> defects) {
        this.link = link;
        this.threads = threads;
        this.history = history;
        this.log = log;
        this.defects = defects;
    }

    /** {@code GET /v1/locks}. */
    void list(Call call, Client client) {
        client.need(Client.Role.LOOK);
        Map<String, String> query = call.target().query();
        if (!LISTED.containsAll(query.keySet())) {
            throw new Problem(Code.INVALID, "the query knows 'prefix', 'limit' and 'after'");
        }
        String prefix = query.getOrDefault("prefix", "");
        String after = query.getOrDefault("after", "");
        int limit = limit(query.get("limit"));
        threads.look(() -> Api.answering(call, defects, () -> {
            call.needRoom();
            List<LockView> all = list(link, client, prefix);
            List<LockView> page = all.stream()
                    .filter(view -> view.name().compareTo(after) > 0)
                    .limit(limit + 1L)
                    .toList();
            boolean more = page.size() > limit;
            List<LockView> shown = more ? page.subList(0, limit) : page;
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            json.put("locks", ViewJson.of(shown));
            json.put("next", more ? shown.get(limit - 1).name() : null);
            json.put("truncated", all.size() > MOST_LISTED);
            call.answer(200, json);
        }));
    }

    /** {@return what a client may see of the names with a prefix, sorted by name} */
    static List<LockView> list(StoreLink link, Client client, String prefix) {
        Map<String, LockView> found = new TreeMap<>();
        for (String allowed : client.prefixes()) {
            if (allowed.startsWith(prefix) || prefix.startsWith(allowed)) {
                String both = allowed.length() > prefix.length() ? allowed : prefix;
                link.client().list(both, MOST_LISTED + 1).forEach(view -> found.put(view.name(), view));
            }
        }
        return List.copyOf(found.values());
    }

    private static int limit(@Nullable String text) {
        if (text == null) {
            return USUAL_LIMIT;
        }
        if (!text.matches("[0-9]{1,5}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > LONGEST_PAGE) {
            throw new Problem(Code.INVALID, "'limit' must be from 1 to " + LONGEST_PAGE);
        }
        return Integer.parseInt(text);
    }

    /** {@code GET /v1/locks/{name}}. */
    void show(Call call, Client client, String name) {
        client.need(Client.Role.LOOK, name);
        threads.look(() -> Api.answering(call, defects, () -> {
            Optional<LockView> view = inspect(name);
            call.answer(
                    200,
                    ViewJson.of(view.orElseGet(
                            () -> new LockView(name, LockKind.EXCLUSIVE, 1, List.of(), List.of(), Optional.empty()))));
        }));
    }

    private Optional<LockView> inspect(String name) {
        try {
            return link.client().inspect(name);
        } catch (IllegalArgumentException impossible) {
            throw new Problem(Code.INVALID, String.valueOf(impossible.getMessage()));
        }
    }

    /** {@code POST /v1/locks/{name}/evictions}. */
    void evict(Call call, Client client, String name) {
        client.need(Client.Role.EVICT, name);
        Body body = Body.of(call, EVICTED);
        String reason = body.text("reason");
        if (reason == null
                || reason.isBlank()
                || reason.length() > LONGEST_REASON
                || reason.chars().anyMatch(Character::isISOControl)) {
            throw Body.wrong(
                    "reason", "is needed, with at most " + LONGEST_REASON + " characters and no control characters");
        }
        OptionalLong epoch = epoch(body.text("token"));
        threads.look(() -> Api.answering(call, defects, () -> {
            inspect(name);
            long asked = link.now();
            int evicted = link.store().evict(name, epoch, client.shownAs(), reason);
            if (evicted > 0) {
                history.evicted(name, epoch, asked, Holding.Ending.evicted(client.shownAs(), reason));
            }
            audit(call, client, name, body.text("token"), reason, evicted);
            call.answer(200, Map.of("evicted", evicted));
        }));
    }

    private void audit(Call call, Client client, String name, @Nullable String token, String reason, int evicted) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("token", token == null ? "every" : token);
        fields.put("by", client.name());
        fields.put("from", call.remote().getAddress().getHostAddress());
        fields.put("reason", reason);
        fields.put("evicted", evicted);
        log.write("audit", "evict", fields);
    }

    private static OptionalLong epoch(@Nullable String token) {
        if (token == null) {
            return OptionalLong.empty();
        }
        if (token.length() > LONGEST_TOKEN
                || !token.matches("[0-9]+")
                || (token.length() == LONGEST_TOKEN && token.compareTo(LARGEST_TOKEN) > 0)) {
            throw Body.wrong("token", "must be the digits of a token, as a string");
        }
        return OptionalLong.of(Grant.epochOf(Long.parseLong(token)));
    }

    /** {@code GET /v1/store}. */
    void store(Call call, Client client) {
        client.need(Client.Role.LOOK);
        StoreTraits traits = link.traits();
        List<Map<String, Object>> promises = new ArrayList<>();
        for (Promise promise : Promise.values()) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("code", promise.name());
            json.put("kept", traits.promises(promise));
            json.put("text", promise.explanation());
            promises.add(json);
        }
        promises.sort(Comparator.comparing(promise -> Boolean.FALSE.equals(promise.get("kept"))));
        String version = LookApi.class.getPackage().getImplementationVersion();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("store", link.toString());
        json.put("version", version);
        json.put("expiry", traits.expiry().name().toLowerCase(Locale.ROOT));
        json.put("shortestLeaseMillis", traits.shortestLease().toMillis());
        json.put("longestLeaseMillis", traits.longestLease().toMillis());
        json.put("failover", traits.failover());
        json.put("promises", promises);
        call.answer(200, json);
    }

    /** {@code GET /v1/me}. */
    static void me(Call call, Client client) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", client.name());
        json.put(
                "roles", client.roles().stream().map(Client.Role::word).sorted().toList());
        json.put("prefixes", client.prefixes());
        call.answer(200, json);
    }
}
