package dev.holdfast.cli.doctor;

import dev.holdfast.redis.wire.HostAndPort;
import java.util.List;
import java.util.Set;

/**
 * A member of a Redis Cluster, from a line of CLUSTER NODES.
 *
 * @param id its own
 * @param place where it is
 * @param flags what the asked member thinks of it
 * @param masterId whose replica it is, or a dash
 */
record ClusterMember(String id, HostAndPort place, Set<String> flags, String masterId) {
    private static final int FEWEST_WORDS = 8;

    static List<ClusterMember> parse(String nodes) {
        return nodes.lines()
                .map(line -> line.split(" ", -1))
                .filter(words -> words.length >= FEWEST_WORDS && words[1].lastIndexOf(':') > 0)
                .map(words -> new ClusterMember(
                        words[0],
                        HostAndPort.of(words[1].replaceFirst("[@,].*", "")),
                        Set.of(words[2].split(",", -1)),
                        words[3]))
                .toList();
    }

    boolean master() {
        return flags.contains("master");
    }

    boolean failed() {
        return flags.contains("fail") || flags.contains("noaddr");
    }

    boolean replicates(ClusterMember other) {
        return masterId.equals(other.id);
    }
}
