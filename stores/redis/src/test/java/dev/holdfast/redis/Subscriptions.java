package dev.holdfast.redis;

import dev.holdfast.rig.redis.RedisNode;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The connections on which clients listen, as the server knows them. */
public final class Subscriptions {
    private Subscriptions() {}

    /** {@return the numbers of the connections; one that is made anew has another} */
    public static Set<String> of(RedisNode node) {
        return lines(node).stream()
                .map(line -> line.substring(0, line.indexOf(' ')))
                .collect(Collectors.toSet());
    }

    /** {@return whether there are some, and the last thing that each was asked was a heartbeat} */
    static boolean areAllAnsweringHeartbeats(RedisNode node) {
        List<String> lines = lines(node);
        return !lines.isEmpty() && lines.stream().allMatch(line -> line.contains(" cmd=ping "));
    }

    /** {@return whether there is a message in what comes from a server, be it behind the answer to a heartbeat} */
    public static boolean isMessage(String text) {
        return text.contains("*3\r\n$7\r\nmessage\r\n");
    }

    private static List<String> lines(RedisNode node) {
        return String.valueOf(node.ask("CLIENT", "LIST", "TYPE", "pubsub"))
                .lines()
                .toList();
    }
}
