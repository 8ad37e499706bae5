package dev.holdfast.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of the documentation, taken apart. Immutable. */
final class Page {
    private static final Pattern FENCE = Pattern.compile("^( {0,3})(`{3,})([^`]*)$");
    private static final Pattern COMMENT = Pattern.compile("^<!-- (.*?) -->$");
    private static final Pattern CODE_SPAN = Pattern.compile("(`+)(.+?)\\1");

    private final Path file;
    private final String name;
    private final List<Fence> fences = new ArrayList<>();

    /** The lines outside of fences; those inside are empty here, so that numbers stay true. */
    private final List<String> prose = new ArrayList<>();

    private Page(Path file, String name) {
        this.file = file;
        this.name = name;
    }

    static Page read(Path root, Path file) throws IOException {
        return of(file, root.relativize(file).toString(), Files.readString(file));
    }

    /** Takes a text apart that may be no file. */
    static Page of(Path file, String name, String text) {
        Page page = new Page(file, name);
        page.take(text.lines().toList());
        return page;
    }

    private void take(List<String> lines) {
        String mark = "";
        for (int i = 0; i < lines.size(); i++) {
            Matcher opening = FENCE.matcher(lines.get(i));
            if (opening.matches()) {
                int end = endOfFence(lines, i + 1, opening.group(2));
                String code = String.join("\n", lines.subList(i + 1, end));
                fences.add(new Fence(this, opening.group(3).strip(), mark, i + 2, code));
                for (; i < end; i++) {
                    prose.add("");
                }
                prose.add("");
                mark = "";
            } else {
                Matcher comment = COMMENT.matcher(lines.get(i));
                mark = comment.matches() ? comment.group(1) : "";
                prose.add(lines.get(i));
            }
        }
    }

    private int endOfFence(List<String> lines, int from, String ticks) {
        for (int i = from; i < lines.size(); i++) {
            if (lines.get(i).strip().equals(ticks)) {
                return i;
            }
        }
        throw new IllegalStateException(name + ":" + from + ": the block of code does not end");
    }

    Path file() {
        return file;
    }

    String name() {
        return name;
    }

    List<Fence> fences() {
        return fences;
    }

    /** {@return the fences of one language} */
    List<Fence> fences(String language) {
        return fences.stream()
                .filter(fence -> fence.language().equals(language))
                .toList();
    }

    List<String> prose() {
        return prose;
    }

    /** {@return a line without what is code in it} */
    static String withoutCode(String line) {
        return CODE_SPAN.matcher(line).replaceAll("");
    }

    /** {@return the code in a line of prose} */
    static List<String> codeIn(String line) {
        List<String> spans = new ArrayList<>();
        Matcher span = CODE_SPAN.matcher(line);
        while (span.find()) {
            spans.add(span.group(2).strip());
        }
        return spans;
    }

    /** {@return the cells of a row of a table; empty if the line is none} */
    static List<String> cells(String line) {
        if (!line.startsWith("|")) {
            return List.of();
        }
        List<String> cells = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean code = false;
        for (int i = 1; i < line.length(); i++) {
            char next = line.charAt(i);
            code ^= next == '`';
            if (next == '\\' && i + 1 < line.length() && line.charAt(i + 1) == '|') {
                cell.append('|');
                i++;
            } else if (next == '|' && !code) {
                cells.add(cell.toString().strip());
                cell.setLength(0);
            } else {
                cell.append(next);
            }
        }
        return cells;
    }

    @Override
    public String toString() {
        return name;
    }
}
