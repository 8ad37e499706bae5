package dev.holdfast.cli.console;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.LockMismatchException;
import dev.holdfast.StoreMisconfiguredException;
import java.util.regex.Pattern;

/**
 * A failure as the user sees it: one sentence and an exit code.
 *
 * @param sentence without the prefix
 * @param code the exit code
 */
public record Complaint(String sentence, int code) {
    /** What the stores show as user and password is hidden already. */
    private static final Pattern URL_WITH_USER = Pattern.compile("[^\\s']*:(?!//\\*\\*\\*@)[^\\s']*@[^\\s']*");

    private static final Pattern SECRET_PARAMETER = Pattern.compile("(?i)((?:password|pwd|secret)\\w*=)[^\\s'&;]*");

    /** Tells what a failure means to the user of a store. */
    public static Complaint of(Exception failure, String url) {
        String sentence = String.valueOf(failure.getMessage());
        if (failure instanceof IllegalArgumentException || failure instanceof LockMismatchException) {
            return new Complaint(sentence, Exit.USAGE);
        }
        if (failure instanceof StoreMisconfiguredException && isBadUrl(url)) {
            return new Complaint(sentence, Exit.USAGE);
        }
        if (failure instanceof HoldfastException) {
            return new Complaint(sentence, Exit.STORE_FAILED);
        }
        if (failure instanceof CannotWorkException) {
            return new Complaint(sentence, Exit.INTERNAL);
        }
        return new Complaint("a defect in Holdfast: " + failure, Exit.INTERNAL);
    }

    /**
     * Complains about a command line.
     *
     * @param command the command it is for, or empty
     * @return the exit code
     */
    public static int usage(String sentence, String command) {
        String help = command.isEmpty() ? "holdfast --help" : "holdfast " + command + " --help";
        return new Complaint(sentence + "; see '" + help + "'", Exit.USAGE).complain();
    }

    /** A sentence that repeats what was typed may repeat a URL with its password, and not where a URL belongs. */
    public static String withoutSecrets(String sentence) {
        String shown = URL_WITH_USER.matcher(sentence).replaceAll("…");
        return SECRET_PARAMETER.matcher(shown).replaceAll("$1…");
    }

    /** {@return whether the URL itself is at fault: it is refused before anything is asked of a server} */
    public static boolean isBadUrl(String url) {
        try (Holdfast unconnected = Holdfast.builder().url(url).lazy(true).build()) {
            return false;
        } catch (StoreMisconfiguredException refused) {
            return true;
        } catch (RuntimeException otherwise) {
            return false;
        }
    }

    /**
     * Prints the sentence on standard error.
     *
     * @return the exit code
     */
    public int complain() {
        // Control characters would tear the sentence apart or steer the terminal.
        System.err.println("holdfast: " + Printable.of(withoutSecrets(sentence)));
        return code;
    }
}
