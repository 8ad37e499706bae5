package dev.holdfast.cli.console;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Where a question can be answered. The launcher has looked whether standard input is a terminal. Used by one thread.
 *
 * @param present whether somebody sits at it
 * @param input what is typed
 */
public record Keyboard(boolean present, InputStream input) {
    private static final String PRESENT_PROPERTY = "holdfast.keyboard";
    private static final int MOST_QUESTIONS = 5;

    public static Keyboard ofThisProcess() {
        return new Keyboard(System.getProperty(PRESENT_PROPERTY) != null, System.in);
    }

    /** {@return whether the answer to a question on standard error was yes; asked again if it was neither} */
    public boolean confirms(String question) {
        BufferedReader lines = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        for (int asked = 0; asked < MOST_QUESTIONS; asked++) {
            System.err.print(question + " (yes/no) ");
            System.err.flush();
            String answer = read(lines);
            if (answer.equals("yes") || answer.equals("y")) {
                return true;
            }
            if (answer.isEmpty() || answer.equals("no") || answer.equals("n")) {
                return false;
            }
        }
        return false;
    }

    /** The end of the input is no answer, and nothing is done without one. */
    private static String read(BufferedReader lines) {
        try {
            String line = lines.readLine();
            if (line == null) {
                System.err.println();
                return "";
            }
            return line.strip().toLowerCase(Locale.ROOT);
        } catch (IOException gone) {
            return "";
        }
    }
}
