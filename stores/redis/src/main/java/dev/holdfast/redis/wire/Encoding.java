package dev.holdfast.redis.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.util.RedisOutputStream;

/** Writes a command as it is sent, once for all nodes that are asked the same. */
public final class Encoding {
    private static final int USUAL_BYTES = 512;

    private Encoding() {}

    public static byte[] of(ProtocolCommand verb, byte[]... arguments) {
        CommandArguments words = new CommandArguments(verb);
        for (byte[] argument : arguments) {
            words.add(argument);
        }
        ByteArrayOutputStream command = new ByteArrayOutputStream(USUAL_BYTES);
        RedisOutputStream out = new RedisOutputStream(command, USUAL_BYTES);
        Protocol.sendCommand(out, words);
        try {
            out.flush();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return command.toByteArray();
    }
}
