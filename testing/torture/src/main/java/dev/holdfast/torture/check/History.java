package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Line;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A recorded history, put together: attempts, faults, stalls, phases. Immutable once it is read. */
final class History {
    final List<Line> lines;
    final Line store;
    final Clocks clocks;
    final Map<String, Op> ops = new LinkedHashMap<>();
    final List<Interval> faults = new ArrayList<>();

    /** By process; the coordinator's are the machine's. */
    final List<Interval> stalls = new ArrayList<>();

    /** Times in which a thread was ready and had no processor. */
    private final List<Interval> starved = new ArrayList<>();

    final Map<String, Long> phases = new LinkedHashMap<>();

    /** When each process was heard last. */
    private final Map<String, Long> heard = new HashMap<>();

    final long last;

    private History(List<Line> lines) {
        this.lines = lines;
        this.clocks = new Clocks(lines);
        this.store = lines.stream()
                .filter(line -> line.event().equals("store"))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the history has no beginning"));
        this.last = lines.get(lines.size() - 1).number("t");
        lines.forEach(this::read);
        readFaults();
    }

    static History read(Path file) {
        try {
            List<Line> lines = new ArrayList<>();
            for (String text : Files.readAllLines(file)) {
                // The last line may be half written if the referee was killed.
                if (text.endsWith("}")) {
                    lines.add(Line.parse(text));
                }
            }
            return new History(List.copyOf(lines));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(file + " cannot be read", unreadable);
        }
    }

    private void read(Line line) {
        String process = line.text("p");
        heard.put(process, line.number("t"));
        switch (line.event()) {
            case "invoke" -> ops.put(line.text("op"), op(line, process));
            case "ok" -> {
                Op op = op(line);
                returned(op, line, "ok");
                String[] tokens = line.text("tokens").split(",", -1);
                for (int i = 0; i < tokens.length; i++) {
                    op.tokens.put(op.names.get(i), Long.parseLong(tokens[i]));
                }
            }
            case "fail" -> {
                returned(op(line), line, line.text("why"));
                op(line).detail = line.text("detail");
            }
            case "end" -> end(op(line), line, process);
            case "told" -> {
                op(line).told = Math.min(op(line).told, clocks.earliest(process, line.number("n")));
                op(line).toldReason = line.text("reason");
            }
            case "stall" -> {
                long from = clocks.earliest(process, line.number("from"));
                long to = clocks.latest(process, line.number("n"));
                stalls.add(new Interval("stall", process, "", from, from, to, to));
            }
            case "starved" -> {
                long from = clocks.earliest(process, line.number("from"));
                long to = clocks.latest(process, line.number("n"));
                // What counts is how long it was, not when in that fifth of a second.
                starved.add(new Interval(Long.toString(line.number("nanos")), process, "", from, from, to, to));
            }
            case "phase" -> phases.put(line.text("name"), line.number("t"));
            default -> {
                // Registers and the rest are looked at by their own checks.
            }
        }
    }

    private Op op(Line line) {
        Op op = ops.get(line.text("op"));
        if (op == null) {
            throw new IllegalArgumentException("an attempt without a beginning: " + line);
        }
        return op;
    }

    private Op op(Line line, String process) {
        return new Op(
                line.text("op"),
                process,
                line.text("client"),
                line.text("kind"),
                line.text("way"),
                List.of(line.text("lock").split(",", -1)),
                line.number("units"),
                line.number("cap"),
                line.number("wait"),
                clocks.earliest(process, line.number("n")));
    }

    private void returned(Op op, Line line, String outcome) {
        op.outcome = outcome;
        op.returned = clocks.latest(op.process, line.number("n"));
        op.took = op.returned - op.invoked;
    }

    private void end(Op op, Line line, String process) {
        long held = line.number("held");
        long lost = line.number("lostAt");
        op.heldUntil = held == 0 ? Long.MIN_VALUE : clocks.earliest(process, held);
        op.seenLost = lost == 0 ? Op.NEVER : clocks.earliest(process, lost);
        op.ended = clocks.latest(process, line.number("n"));
        op.releaseBegun = clocks.earliest(process, line.number("from"));
        op.how = line.text("how");
    }

    private void readFaults() {
        Map<Long, long[]> times = new LinkedHashMap<>();
        Map<Long, Line> what = new LinkedHashMap<>();
        List<String> steps = List.of("begin", "active", "ending", "over");
        for (Line line : lines) {
            if (line.event().equals("fault")) {
                long id = line.number("id");
                long[] of = times.computeIfAbsent(id, key -> new long[] {Op.NEVER, Op.NEVER, Op.NEVER, Op.NEVER});
                int step = steps.indexOf(line.text("step"));
                long nanos = line.number("n");
                of[step] = step % 2 == 0 ? clocks.earliest("coordinator", nanos) : clocks.latest("coordinator", nanos);
                what.put(id, line);
            }
        }
        times.forEach((id, of) -> {
            Line line = java.util.Objects.requireNonNull(what.get(id));
            faults.add(new Interval(
                    line.text("kind"), line.text("target"), line.text("loses"), of[0], of[1], of[2], of[3]));
        });
    }

    /** Until when a process certainly lived. */
    long lastOf(String process) {
        return heard.getOrDefault(process, last);
    }

    boolean promises(String promise) {
        return Set.of(store.text("promises").split(",", -1)).contains(promise);
    }

    long leaseNanos() {
        return store.number("leaseMillis") * 1_000_000;
    }

    long timeoutNanos() {
        return store.number("timeoutMillis") * 1_000_000;
    }

    long afterlifeNanos() {
        return store.number("afterlifeMillis") * 1_000_000;
    }

    boolean sessions() {
        return store.text("expiry").equals("SESSION");
    }

    /**
     * How long a process stood still in a time, or the machine did, whichever is longer, and how long threads waited for a
     * processor: what can explain that something was late.
     */
    long stalled(String process, long from, long to) {
        return Math.max(stood(process, from, to), stood("coordinator", from, to))
                + Math.max(starved(process, from, to), starved("coordinator", from, to));
    }

    private long stood(String process, long from, long to) {
        return stalls.stream()
                .filter(stall -> stall.target().equals(process) && stall.mayTouch(from, to))
                .mapToLong(stall -> Math.min(to, stall.over()) - Math.max(from, stall.begun()))
                .sum();
    }

    private long starved(String process, long from, long to) {
        return starved.stream()
                .filter(delay -> delay.target().equals(process) && delay.mayTouch(from, to))
                .mapToLong(delay -> Long.parseLong(delay.what()))
                .sum();
    }

    /** Whether the store answered all requests of a worker: faults of other workers and of their networks do not count. */
    boolean answering(String process, long from, long to) {
        return faults.stream()
                .filter(fault -> !fault.isOfAWorker() || fault.isOf(process))
                .noneMatch(fault -> fault.mayTouch(from, to));
    }
}
