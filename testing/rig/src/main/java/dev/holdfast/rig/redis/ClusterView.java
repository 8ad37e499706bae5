package dev.holdfast.rig.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one member of a cluster knows of all.
 *
 * @param members as told by {@code CLUSTER NODES}
 */
record ClusterView(List<Member> members) {

    static ClusterView of(RedisNode node) {
        List<Member> members = String.valueOf(node.ask("CLUSTER", "NODES"))
                .lines()
                .map(Member::parse)
                .toList();
        return new ClusterView(members);
    }

    boolean isMaster(int port) {
        return members.stream().anyMatch(each -> each.port() == port && each.isMaster());
    }

    Member masterOf(long slot) {
        return members.stream()
                .filter(each -> each.isMaster() && each.serves(slot))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nobody serves slot " + slot));
    }

    /** The replicas of a master, also those that do not answer at the moment. */
    List<Integer> replicasOf(int masterPort) {
        List<String> id = members.stream()
                .filter(each -> each.port() == masterPort)
                .map(Member::id)
                .toList();
        return members.stream()
                .filter(each -> each.master().filter(id::contains).isPresent())
                .map(Member::port)
                .toList();
    }

    /** Whether both name the same masters for the same slots, and nobody is in the middle of a change. */
    boolean sameRoles(ClusterView other) {
        return roles().equals(other.roles())
                && members.stream().noneMatch(each -> each.flags().contains("handshake"));
    }

    private List<String> roles() {
        return members.stream()
                .filter(each -> !each.hasFailed())
                .map(each ->
                        each.id() + " " + each.isMaster() + " " + each.master().orElse("-") + " " + each.slots())
                .sorted()
                .toList();
    }

    /**
     * One line of {@code CLUSTER NODES}.
     *
     * @param id of the member
     * @param port for clients
     * @param flags such as {@code master} or {@code fail?}
     * @param master the id of its master, if it is a replica
     * @param slots as first and last slot
     */
    record Member(String id, int port, List<String> flags, Optional<String> master, List<List<Long>> slots) {

        static Member parse(String line) {
            List<String> words = List.of(line.split(" ", -1));
            String address = words.get(1);
            int port = Integer.parseInt(address.substring(address.indexOf(':') + 1, address.indexOf('@')));
            Optional<String> master = "-".equals(words.get(3)) ? Optional.empty() : Optional.of(words.get(3));
            List<List<Long>> slots = new ArrayList<>();
            for (String range : words.subList(8, words.size())) {
                if (range.startsWith("[")) {
                    // On the move, and counted where it still is.
                    continue;
                }
                List<Long> ends = List.of(range.split("-", -1)).stream()
                        .map(Long::valueOf)
                        .toList();
                slots.add(List.of(ends.get(0), ends.get(ends.size() - 1)));
            }
            return new Member(words.get(0), port, List.of(words.get(2).split(",", -1)), master, List.copyOf(slots));
        }

        boolean isMaster() {
            return flags.contains("master") && !hasFailed();
        }

        boolean hasFailed() {
            return flags.contains("fail") || flags.contains("fail?") || flags.contains("noaddr");
        }

        boolean serves(long slot) {
            return slots.stream().anyMatch(ends -> ends.get(0) <= slot && slot <= ends.get(1));
        }
    }
}
