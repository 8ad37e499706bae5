package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Line;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes the page that shows a history: one file that needs nothing from outside. */
public final class Page {
    private static final String TEMPLATE = "/dev/holdfast/torture/report/page.html";

    private final History history;
    private final StringBuilder json = new StringBuilder(1 << 16);

    private Page(History history) {
        this.history = history;
    }

    /**
     * Writes the page beside the history.
     *
     * @param file the history
     * @param verdict what it shows
     * @param summary the line on top
     * @return the page
     */
    public static Path write(Path file, Verdict verdict, String summary) {
        Page page = new Page(History.read(file));
        page.data(verdict, summary);
        Path target = file.resolveSibling("page.html");
        try (InputStream template = Page.class.getResourceAsStream(TEMPLATE)) {
            if (template == null) {
                throw new IllegalStateException(TEMPLATE + " is not on the class path");
            }
            String text = new String(template.readAllBytes(), StandardCharsets.UTF_8);
            Files.writeString(target, text.replace("/*DATA*/null", page.json));
        } catch (IOException failed) {
            throw new UncheckedIOException("the page cannot be written", failed);
        }
        return target;
    }

    private void data(Verdict verdict, String summary) {
        json.append("{\"rig\":");
        Line.quote(json, history.store.text("rig"));
        json.append(",\"seed\":");
        Line.quote(json, history.store.text("seed"));
        json.append(",\"mutant\":");
        Line.quote(json, history.store.text("mutant"));
        json.append(",\"summary\":");
        Line.quote(json, summary);
        json.append(",\"end\":").append(history.last);
        phases();
        faults();
        ops();
        json.append(",\"violations\":[");
        String comma = "";
        for (Verdict.Violation violation : verdict.findings()) {
            json.append(comma)
                    .append(Line.of("violation")
                            .with("property", violation.property())
                            .with("at", violation.at())
                            .with("late", verdict.late().contains(violation))
                            .with("text", violation.text()));
            comma = ",";
        }
        json.append("]}");
    }

    private void phases() {
        json.append(",\"phases\":[");
        String comma = "";
        for (Map.Entry<String, Long> phase : history.phases.entrySet()) {
            json.append(comma)
                    .append(Line.of("phase").with("name", phase.getKey()).with("at", phase.getValue()));
            comma = ",";
        }
        json.append(']');
    }

    /** Faults that overlap are drawn in lanes. */
    private void faults() {
        List<Long> lanes = new ArrayList<>();
        json.append(",\"faults\":[");
        String comma = "";
        for (Interval fault : history.faults) {
            long to = Math.min(fault.over(), history.last);
            int lane = 0;
            while (lane < lanes.size() && lanes.get(lane) > fault.begun()) {
                lane++;
            }
            if (lane == lanes.size()) {
                lanes.add(to);
            }
            lanes.set(lane, to);
            Line line = Line.of("fault")
                    .with("kind", fault.what())
                    .with("target", fault.target())
                    .with("loses", fault.loses());
            json.append(comma)
                    .append(line.with("from", fault.begun()).with("to", to).with("lane", lane));
            comma = ",";
        }
        json.append("],\"lanes\":").append(lanes.size());
    }

    private void ops() {
        String prefix = history.store.text("prefix");
        json.append(",\"ops\":[");
        String comma = "";
        for (Op op : history.ops.values()) {
            boolean dead = op.granted() && op.ended == Op.NEVER;
            long ret = Math.min(op.returned, history.last);
            Line line = Line.of("op")
                    .with("id", op.id)
                    .with("p", op.process)
                    .with("kind", op.kind)
                    .with("way", op.way);
            line.with("wait", op.waitMillis)
                    .with("out", op.outcome)
                    .with("detail", op.detail)
                    .with("how", op.how);
            line.with("inv", op.invoked)
                    .with("ret", ret)
                    .with("granted", op.granted())
                    .with("shared", !op.exclusive())
                    .with("dead", dead);
            line.with("end", op.granted() ? Math.min(op.ended, history.last) : ret);
            line.with("told", op.told == Op.NEVER ? 0 : op.told).with("reason", op.toldReason);
            String flat = line.toString();
            json.append(comma).append(flat, 0, flat.length() - 1).append(",\"names\":");
            texts(op.names.stream().map(name -> name.replace(prefix, "")).toList());
            json.append(",\"tokens\":");
            texts(op.names.stream().map(name -> Long.toString(op.token(name))).toList());
            json.append('}');
            comma = ",";
        }
        json.append(']');
    }

    private void texts(List<String> texts) {
        json.append('[');
        for (int i = 0; i < texts.size(); i++) {
            json.append(i == 0 ? "" : ",");
            Line.quote(json, texts.get(i));
        }
        json.append(']');
    }
}
