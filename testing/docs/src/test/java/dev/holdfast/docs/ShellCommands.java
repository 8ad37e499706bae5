package dev.holdfast.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands of a block of shell, as far as the pages use the shell's language. */
final class ShellCommands {
    private static final Pattern INNER = Pattern.compile("[<$]\\(([^()]*)\\)");
    private static final Pattern ASSIGNMENT = Pattern.compile("\\w+=.*");
    private static final String SEPARATORS = "|&;";

    private final List<List<String>> commands = new ArrayList<>();

    private ShellCommands() {}

    /** {@return the words of each command, without quotes, comments, variables set in front, and redirections} */
    static List<List<String>> of(String code) {
        ShellCommands found = new ShellCommands();
        for (String line : code.replace("\\\n", " ").split("\n", -1)) {
            found.take(line);
        }
        return found.commands;
    }

    private void take(String line) {
        Matcher inner = INNER.matcher(line);
        while (inner.find()) {
            take(inner.group(1));
        }
        List<String> command = new ArrayList<>();
        for (String word : words(inner.replaceAll("inner"))) {
            if (word.length() == 1 && SEPARATORS.contains(word)) {
                add(command);
                command = new ArrayList<>();
            } else {
                command.add(word);
            }
        }
        add(command);
    }

    private void add(List<String> words) {
        int first = 0;
        while (first < words.size() && ASSIGNMENT.matcher(words.get(first)).matches()) {
            first++;
        }
        if (first < words.size()) {
            commands.add(List.copyOf(words.subList(first, words.size())));
        }
    }

    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean begun = false;
        char quote = 0;
        for (int i = 0; i < line.length(); i++) {
            char next = line.charAt(i);
            if (quote != 0) {
                if (next == quote) {
                    quote = 0;
                } else {
                    word.append(next);
                }
            } else if (next == '\'' || next == '"') {
                quote = next;
                begun = true;
            } else if (next == '#' && !begun) {
                break;
            } else if (Character.isWhitespace(next) || isSeparator(line, i)) {
                if (begun) {
                    words.add(word.toString());
                }
                if (isSeparator(line, i)) {
                    words.add(String.valueOf(next));
                }
                word.setLength(0);
                begun = false;
            } else {
                word.append(next);
                begun = true;
            }
        }
        if (begun) {
            words.add(word.toString());
        }
        return words;
    }

    /** Whether a character ends a command; in a redirection such as {@code 2>&1} it does not. */
    private static boolean isSeparator(String line, int index) {
        return SEPARATORS.indexOf(line.charAt(index)) >= 0 && (index == 0 || line.charAt(index - 1) != '>');
    }
}
