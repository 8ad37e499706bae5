package dev.holdfast.cli.console;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that remembers why it could not be written: Java's own only knows that. A full disk must not look like
 * a short answer. Used by one thread.
 */
public final class StandardOutput extends OutputStream {
    private static final int BUFFER = 8_192;
    private static final int PIPE_SIGNAL = 13;
    private static final String CLOSED_PIPE = "Broken pipe";

    private final OutputStream out;
    private @Nullable IOException failure;

    StandardOutput(OutputStream out) {
        this.out = out;
    }

    /** Takes the place of Java's own. */
    public static StandardOutput install() {
        StandardOutput installed = new StandardOutput(new FileOutputStream(FileDescriptor.out));
        System.setOut(new PrintStream(new BufferedOutputStream(installed, BUFFER), true, StandardCharsets.UTF_8));
        return installed;
    }

    /**
     * Decides how a command ends that may not have been able to say what it wanted to. Nobody wants to hear of a reader
     * that has had enough, as {@code head}; then it ends as other programs do.
     *
     * @param code how it would end otherwise
     * @return the exit code
     */
    public int judge(int code) {
        System.out.flush();
        IOException why = failure;
        if (why == null || code != Exit.OK) {
            return code;
        }
        return CLOSED_PIPE.equals(why.getMessage())
                ? Exit.SIGNAL + PIPE_SIGNAL
                : new Complaint("standard output cannot be written: " + why.getMessage(), Exit.INTERNAL).complain();
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        try {
            out.write(bytes, from, length);
        } catch (IOException failed) {
            failure = failed;
            throw failed;
        }
    }
}
