package dev.holdfast.redis.wire;

import dev.holdfast.spi.ShortWait;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A connection of our own. Used by one thread at a time; only {@link #cut} and {@link #tell} by others. */
final class SocketConnection implements Connection {
    private final Socket plain;
    private final Socket socket;
    private final OutputStream out;
    private final AnswerReader answers;
    private final String place;

    /** The first command that is not sent yet; most of the time it is the only one. */
    private byte @Nullable [] first;

    /** Those behind it. */
    private @Nullable ByteArrayOutputStream others;

    /**
     * Makes one from open sockets.
     *
     * @param plain the one that ends the connection without waiting for anything
     * @param socket the one to talk through, which is another one if the connection is encrypted
     */
    SocketConnection(Socket plain, Socket socket, ShortWait near) throws IOException {
        this.plain = plain;
        this.socket = socket;
        this.out = socket.getOutputStream();
        this.answers = new AnswerReader(socket.getInputStream(), plain == socket ? near : null);
        this.place = plain.getInetAddress().getHostAddress() + ":" + plain.getPort();
    }

    @Override
    public void send(Command verb, byte[]... arguments) {
        sendEncoded(Encoding.of(verb, arguments));
    }

    void sendEncoded(byte[] command) {
        if (first == null) {
            first = command;
            return;
        }
        if (others == null) {
            others = new ByteArrayOutputStream();
        }
        others.writeBytes(command);
    }

    @Override
    public @Nullable Object receive() {
        try {
            flush();
            return answers.next();
        } catch (IOException broken) {
            throw new BrokenConnection(broken);
        }
    }

    private void flush() throws IOException {
        byte[] command = first;
        if (command == null) {
            return;
        }
        first = null;
        ByteArrayOutputStream behind = others;
        if (behind == null) {
            out.write(command);
            return;
        }
        others = null;
        byte[] rest = behind.toByteArray();
        byte[] all = Arrays.copyOf(command, command.length + rest.length);
        System.arraycopy(rest, 0, all, command.length, rest.length);
        out.write(all);
    }

    /** Sends a command whose answer somebody else reads. */
    void tell(byte[] command) {
        try {
            out.write(command);
        } catch (IOException broken) {
            throw new BrokenConnection(broken);
        }
    }

    /** Sets how long a read may take; 0 for as long as it likes. */
    void setReadTimeout(int millis) {
        try {
            socket.setSoTimeout(millis);
        } catch (IOException broken) {
            throw new BrokenConnection(broken);
        }
    }

    /** {@return what comes, for somebody who asks in one step and reads in another} */
    AnswerReader answers() {
        return answers;
    }

    /** {@return the address and port at the other end, whatever the server is called} */
    String place() {
        return place;
    }

    @Override
    public void cut() {
        try {
            // Not the encrypted one, which would say goodbye first, and might wait for that.
            plain.close();
        } catch (IOException closedAlready) {
            // It is what was wanted.
            return;
        }
    }
}
