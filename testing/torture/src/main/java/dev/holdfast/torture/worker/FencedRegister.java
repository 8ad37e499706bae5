package dev.holdfast.torture.worker;

import dev.holdfast.fence.Stamped;
import dev.holdfast.fence.StampedResource;
import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.referee.RefereeLine;
import org.jspecify.annotations.Nullable;

/** A register of the referee as a resource for the library's own fence. Used by one thread. */
final class FencedRegister implements StampedResource<Long> {
    private final RefereeLine referee;
    private final String op;
    private final String name;
    private @Nullable Long base;

    FencedRegister(RefereeLine referee, String op, String name) {
        this.referee = referee;
        this.op = op;
        this.name = name;
    }

    /** From now on a change of the value is the second half of a read-modify-write. */
    void basedOn(long value) {
        base = value;
    }

    @Override
    public Stamped<Long> read() {
        Line answer = referee.ask(Line.of("gread").with("reg", name), System.nanoTime());
        return new Stamped<>(answer.number("v"), Long.parseLong(answer.text("tok")));
    }

    @Override
    public boolean compareAndSet(Stamped<Long> expected, Stamped<Long> next) {
        Line request = Line.of("gcas").with("reg", name).with("op", op);
        request.with("v0", expected.value()).with("tok0", Long.toString(expected.token()));
        request.with("v1", next.value()).with("tok1", Long.toString(next.token()));
        if (base != null) {
            request.with("base", base);
        }
        return referee.ask(request, System.nanoTime()).is("done");
    }
}
