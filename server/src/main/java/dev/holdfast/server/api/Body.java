package dev.holdfast.server.api;

import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.JsonReader;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The JSON object in a request's body: every member is known and of the right type, or the request is refused. */
final class Body {
    private final Map<String, @Nullable Object> members;

    private Body(Map<String, @Nullable Object> members) {
        this.members = members;
    }

    /** Reads the body of a request; an empty one is an empty object. */
    static Body of(Call call, Set<String> known) {
        String type = call.header("Content-Type");
        if (call.body().isEmpty() && type == null) {
            return new Body(Map.of());
        }
        // A browser sends this type to a foreign server only after asking it, and it is never told yes.
        String plain = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (!plain.equals("application/json")) {
            throw new Problem(Code.MEDIA_TYPE, "send the header 'Content-Type: application/json'");
        }
        if (call.body().isEmpty()) {
            return new Body(Map.of());
        }
        Map<String, @Nullable Object> members;
        try {
            members = JsonReader.readObject(call.body());
        } catch (IllegalArgumentException malformed) {
            throw new Problem(Code.MALFORMED, String.valueOf(malformed.getMessage()));
        }
        for (String name : members.keySet()) {
            if (!known.contains(name)) {
                throw new Problem(
                        Code.INVALID, "the body has a member that is not known; known are " + new TreeSet<>(known));
            }
        }
        return new Body(members);
    }

    @Nullable
    String text(String name) {
        Object value = members.get(name);
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw wrong(name, "must be a string");
    }

    Duration duration(String name, Duration usual) {
        String text = text(name);
        if (text == null) {
            return usual;
        }
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw wrong(name, String.valueOf(malformed.getMessage()));
        }
    }

    @Nullable
    Integer number(String name) {
        Object value = members.get(name);
        if (value == null) {
            return null;
        }
        if (value instanceof Long number && number >= Integer.MIN_VALUE && number <= Integer.MAX_VALUE) {
            return number.intValue();
        }
        throw wrong(name, "must be a number of at most 10 digits");
    }

    List<String> texts(String name) {
        Object value = members.get(name);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> list)) {
            throw wrong(name, "must be an array of strings");
        }
        List<String> texts = new ArrayList<>();
        for (Object element : list) {
            if (!(element instanceof String text)) {
                throw wrong(name, "must be an array of strings");
            }
            texts.add(text);
        }
        return texts;
    }

    static Problem wrong(String name, String what) {
        return new Problem(Code.INVALID, "'" + name + "': " + what).with("member", name);
    }
}
