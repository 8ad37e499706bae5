package dev.holdfast.cli.look;

import dev.holdfast.LockView;
import dev.holdfast.cli.console.Json;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Locks as JSON. A token is a string, because it exceeds what most readers of JSON can hold in a number. */
final class ViewJson {
    private ViewJson() {}

    static String array(List<LockView> views) {
        Json json = new Json().beginArray();
        views.forEach(view -> write(json, view));
        return json.endArray().toString();
    }

    static String object(LockView view) {
        Json json = new Json();
        write(json, view);
        return json.toString();
    }

    /** A name that the store knows nothing of. */
    static String free(String name) {
        return new Json()
                .beginObject()
                .key("name")
                .value(name)
                .key("kind")
                .nullValue()
                .key("capacity")
                .nullValue()
                .key("holders")
                .beginArray()
                .endArray()
                .key("waiters")
                .beginArray()
                .endArray()
                .key("lastEviction")
                .nullValue()
                .endObject()
                .toString();
    }

    private static void write(Json json, LockView view) {
        json.beginObject().key("name").value(view.name());
        json.key("kind").value(view.kind().name().toLowerCase(Locale.ROOT));
        json.key("capacity").value(view.capacity());
        json.key("holders").beginArray();
        view.holders().forEach(holder -> write(json, holder));
        json.endArray().key("waiters").beginArray();
        view.waiters().forEach(waiter -> write(json, waiter));
        json.endArray().key("lastEviction");
        view.lastEviction().ifPresentOrElse(eviction -> write(json, eviction), json::nullValue);
        json.endObject();
    }

    private static void write(Json json, LockView.Holder holder) {
        json.beginObject().key("client").value(holder.clientName());
        json.key("label").value(holder.label());
        json.key("units").value(holder.units());
        json.key("token").value(Long.toString(holder.token()));
        millis(json, "heldForMillis", holder.heldFor()).key("remainingMillis");
        holder.remaining().ifPresentOrElse(left -> json.value(left.toMillis()), json::nullValue);
        json.endObject();
    }

    private static void write(Json json, LockView.Waiter waiter) {
        json.beginObject().key("client").value(waiter.clientName());
        json.key("label").value(waiter.label());
        json.key("units").value(waiter.units());
        millis(json, "waitingForMillis", waiter.waitingFor()).endObject();
    }

    private static void write(Json json, LockView.Eviction eviction) {
        json.beginObject().key("by").value(eviction.by());
        json.key("reason").value(eviction.reason());
        millis(json, "agoMillis", eviction.ago()).endObject();
    }

    private static Json millis(Json json, String key, Duration duration) {
        return json.key(key).value(duration.toMillis());
    }
}
