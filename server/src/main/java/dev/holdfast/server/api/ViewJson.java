package dev.holdfast.server.api;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.server.lease.Secret;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A lock as the API shows it. Times are durations, so that nobody compares clocks; tokens are strings. */
final class ViewJson {
    /** Of very many holders and waiters these are told, and how many there are. */
    static final int MOST_TOLD = 1_000;

    private static final int FIXED_BYTES = 250;
    private static final int BYTES_OF_EACH = 120;
    private static final int BYTES_OF_CHARACTER = 2;

    private ViewJson() {}

    /** {@return about how many bytes a lock has as JSON} */
    static int bytes(LockView view) {
        int bytes = FIXED_BYTES + bytes(view.name());
        for (LockView.Holder holder : first(view.holders())) {
            bytes += BYTES_OF_EACH + bytes(holder.clientName()) + bytes(holder.label());
        }
        for (LockView.Waiter waiter : first(view.waiters())) {
            bytes += BYTES_OF_EACH + bytes(waiter.clientName()) + bytes(waiter.label());
        }
        return bytes;
    }

    static int bytes(String text) {
        return BYTES_OF_CHARACTER * text.length();
    }

    private static <T> List<T> first(List<T> all) {
        return all.size() > MOST_TOLD ? all.subList(0, MOST_TOLD) : all;
    }

    static Map<String, @Nullable Object> of(LockView view) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", view.name());
        json.put("kind", kind(view.kind()));
        json.put("capacity", view.kind() == LockKind.READ_WRITE ? Claim.MANY : view.capacity());
        json.put("holders", first(view.holders()).stream().map(ViewJson::holder).toList());
        json.put("holderCount", view.holders().size());
        json.put("waiters", first(view.waiters()).stream().map(ViewJson::waiter).toList());
        json.put("waiterCount", view.waiters().size());
        json.put("lastEviction", view.lastEviction().map(ViewJson::eviction).orElse(null));
        return json;
    }

    private static String kind(LockKind kind) {
        return switch (kind) {
            case EXCLUSIVE -> "exclusive";
            case READ_WRITE -> "read-write";
            case SEMAPHORE -> "semaphore";
        };
    }

    private static Map<String, @Nullable Object> holder(LockView.Holder holder) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("token", Long.toString(holder.token()));
        json.put("client", Secret.withoutTag(holder.clientName()));
        json.put("label", holder.label());
        json.put("units", holder.units());
        json.put("heldMillis", holder.heldFor().toMillis());
        json.put("remainingMillis", holder.remaining().map(Duration::toMillis).orElse(null));
        return json;
    }

    private static Map<String, Object> waiter(LockView.Waiter waiter) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("client", Secret.withoutTag(waiter.clientName()));
        json.put("label", waiter.label());
        json.put("units", waiter.units());
        json.put("waitingMillis", waiter.waitingFor().toMillis());
        return json;
    }

    private static Map<String, Object> eviction(LockView.Eviction eviction) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("by", eviction.by());
        json.put("reason", eviction.reason());
        json.put("agoMillis", eviction.ago().toMillis());
        return json;
    }

    static List<Map<String, @Nullable Object>> of(List<LockView> views) {
        return views.stream().map(ViewJson::of).toList();
    }
}
