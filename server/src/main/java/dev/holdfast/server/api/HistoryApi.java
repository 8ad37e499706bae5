package dev.holdfast.server.api;

import dev.holdfast.server.history.History;
import dev.holdfast.server.history.Holding;
import dev.holdfast.server.lease.StoreLink;
import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code GET /v1/history}: what this instance saw of one lock in the last minutes. */
final class HistoryApi {
    private static final String NAME = "name";

    private final StoreLink link;
    private final History history;

    HistoryApi(StoreLink link, History history) {
        this.link = link;
        this.history = history;
    }

    void show(Call call, Client client) {
        client.need(Client.Role.LOOK);
        Map<String, String> query = call.target().query();
        if (!query.keySet().equals(Set.of(NAME))) {
            throw new Problem(Code.INVALID, "the query must have 'name', and nothing else");
        }
        String name = query.getOrDefault(NAME, "");
        client.need(Client.Role.LOOK, name);
        History.Past past = history.of(name);
        long now = link.now();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("sinceMillis", LeaseApi.millis(now - past.sinceNanos()));
        json.put(
                "grants", past.holdings().stream().map(each -> grant(each, now)).toList());
        json.put(
                "waiting",
                past.waiting().stream()
                        .map(each ->
                                Map.of("agoMillis", LeaseApi.millis(now - each.atNanos()), "waiters", each.waiters()))
                        .toList());
        call.answer(200, json);
    }

    private static Map<String, @Nullable Object> grant(Holding holding, long now) {
        Holding.Ending ending = holding.ending();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("token", Long.toString(holding.token()));
        json.put("client", holding.client());
        json.put("label", holding.label());
        json.put("agoMillis", LeaseApi.millis(now - holding.fromNanos()));
        json.put("endedAgoMillis", ending == null ? null : LeaseApi.millis(now - holding.toNanos()));
        json.put("end", ending == null ? null : ending.how());
        json.put("exact", ending == null ? null : ending.exact());
        json.put("by", ending == null ? null : ending.by());
        json.put("why", ending == null ? null : ending.why());
        return json;
    }
}
