package dev.holdfast.cli.demo;

import dev.holdfast.cli.console.Printable;
import dev.holdfast.cli.console.Terminal;
import java.util.ArrayList;
import java.util.List;

/** Tells what happens in a demonstration, step by step, and remembers whether it went as it had to. Used by one thread. */
final class Narration {
    private static final int WIDEST = 100;
    private static final int USUAL = 80;
    private static final String INDENT = "      ";

    private final Terminal terminal;
    private boolean asExpected = true;

    Narration(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Begins a chapter. */
    void chapter(String title) {
        System.out.println();
        System.out.println(terminal.bold(title));
    }

    /** Begins a part of a chapter. */
    void part(String title) {
        System.out.println("  " + terminal.bold(title));
    }

    /** Tells what somebody does. */
    void step(String who, String what) {
        print("  " + who + " ".repeat(INDENT.length() - 2 - who.length()), what);
    }

    /** Tells what happens to somebody. */
    void event(String what) {
        print(INDENT, terminal.yellow(what));
    }

    /** Tells how it ended for those without Holdfast, and whether it really did. */
    void damage(boolean happened, String what) {
        conclude(happened, terminal.red(what));
    }

    /** Tells how it ended with Holdfast, and whether it really did. */
    void safe(boolean happened, String what) {
        conclude(happened, terminal.bold(what));
    }

    /** {@return whether everything went as it had to} */
    boolean asExpected() {
        return asExpected;
    }

    private void conclude(boolean happened, String what) {
        print("  =>  ", happened ? what : "This was expected, but did not happen: " + what);
        asExpected &= happened;
    }

    private void print(String lead, String text) {
        Curtain.ensureUp();
        int columns = terminal.isTerminal() ? Math.min(WIDEST, terminal.columns()) : USUAL;
        List<String> lines = wrap(text, columns - INDENT.length());
        for (int i = 0; i < lines.size(); i++) {
            System.out.println((i == 0 ? lead : INDENT) + lines.get(i));
        }
    }

    /** Breaks between words; the sequences that switch colours take no room. */
    private static List<String> wrap(String text, int columns) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (line.length() > 0 && width(line) + 1 + width(word) > columns) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() > 0 ? " " : "").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    private static int width(CharSequence text) {
        return Printable.width(text.toString().replaceAll("\u001b\\[[0-9;]*m", ""));
    }
}
