package dev.holdfast.torture.referee;

import dev.holdfast.torture.history.Line;

/**
 * A number that workers count up by reading and writing. It knows when a write went over a change that its writer had not
 * seen. Guarded by the referee's monitor.
 */
final class Register {
    private long value;
    private long token;

    /** How often it was changed: a write that is based on an older number of changes has lost an update. */
    private long version;

    void read(Line answer) {
        answer.with("v", value).with("ver", version).with("tok", Long.toString(token));
    }

    /** Writes without any question. Returns whether an update of somebody else was lost. */
    boolean write(Line request, Line answer) {
        boolean lost = request.number("ver") != version;
        value = request.number("v");
        version++;
        answer.with("lost", lost);
        return lost;
    }

    /** The guarded way: one step of {@link dev.holdfast.fence.StampedResource}. What the guard let through is recorded. */
    void compareAndSet(Line request, Line answer) {
        long next = Long.parseLong(request.text("tok1"));
        boolean done = request.number("v0") == value && Long.parseLong(request.text("tok0")) == token;
        if (done) {
            // The write of a read-modify-write names what it was computed from; raising the token changes no value.
            request.with("lost", request.has("base") && request.number("base") != value);
            request.with("back", next < token);
            value = request.number("v1");
            token = next;
        }
        request.with("done", done);
        answer.with("done", done);
    }
}
