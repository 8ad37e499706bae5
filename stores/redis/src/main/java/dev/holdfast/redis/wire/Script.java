package dev.holdfast.redis.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** The scripts that run in the server, put together from resource files. What each answers is written in its file. */
public enum Script {
    ACQUIRE("acquire-fast", "prologue", "acquire"),
    RELEASE("release-fast", "prologue", "release"),
    RENEW("renew"),
    WITHDRAW("fetch", "withdraw-stamp", "prologue", "withdraw"),
    EVICT("fetch", "evict-stamp", "prologue", "evict"),
    INSPECT("inspect"),
    PING("ping"),
    REDLOCK_ACQUIRE("redlock-acquire-fast", "redlock-name", "redlock-readers", "redlock-acquire"),
    REDLOCK_READ("redlock-name", "redlock-readers", "redlock-acquire"),
    REDLOCK_FENCE("redlock-name", "redlock-readers", "redlock-fence"),
    REDLOCK_UNDO("redlock-name", "redlock-readers", "redlock-undo"),
    REDLOCK_RELEASE("redlock-release-fast", "redlock-name", "redlock-readers", "redlock-release"),
    REDLOCK_RENEW("redlock-name", "redlock-readers", "redlock-renew"),
    REDLOCK_EVICT("redlock-name", "redlock-readers", "redlock-evict"),
    REDLOCK_INSPECT("redlock-name", "redlock-readers", "redlock-inspect"),
    REDLOCK_LOOK("redlock-look"),
    REDLOCK_VOTE("redlock-vote");

    private final byte[] text;
    private final byte[] digest;

    Script(String... pieces) {
        this.text = whole(List.of(pieces)).getBytes(StandardCharsets.UTF_8);
        this.digest = digest(text);
    }

    /** {@return a script that consists of these pieces} */
    public static String whole(List<String> pieces) {
        StringBuilder whole = new StringBuilder();
        pieces.forEach(piece -> whole.append(read(piece + ".lua")));
        return ScriptNumbers.fillIn(whole.toString());
    }

    /** {@return the whole script; not to be changed} */
    public byte[] text() {
        return text;
    }

    /** {@return the name by which a server that has seen the script knows it; not to be changed} */
    public byte[] digest() {
        return digest;
    }

    public static byte[] digest(byte[] script) {
        try {
            byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(script);
            return HexFormat.of().formatHex(sha1).getBytes(StandardCharsets.US_ASCII);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-1", impossible);
        }
    }

    public static String read(String resource) {
        try (InputStream in = Script.class.getResourceAsStream("/dev/holdfast/redis/" + resource)) {
            if (in == null) {
                throw new IllegalStateException("the script " + resource + " is missing in holdfast-redis");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException("the script " + resource + " cannot be read", failed);
        }
    }
}
