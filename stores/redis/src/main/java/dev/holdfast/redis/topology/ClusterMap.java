package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.Keys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one member says of its cluster: who has which slots, since which configuration epoch. Owners and epochs stand in one
 * answer ({@code CLUSTER NODES}); how clients reach them stands in another ({@code CLUSTER SLOTS}), because the first knows
 * nothing of the names that members want to be called by. Immutable.
 *
 * @param masters those that have slots, and those that have none yet
 * @param members the ids of all members
 */
record ClusterMap(List<Owner> masters, Set<String> members) {
    private static final byte[] NODES = Keys.bytes("NODES");
    private static final byte[] SLOTS = Keys.bytes("SLOTS");
    private static final int ADDRESS = 1;
    private static final int FLAGS = 2;
    private static final int CONFIG_EPOCH = 6;
    private static final int FIRST_RANGE = 8;
    private static final int MEMBER_ID = 2;

    /**
     * A master.
     *
     * @param id its own
     * @param address where it is
     * @param epoch its configuration epoch, which grows when it is promoted and when it takes over a slot
     * @param ranges first and last of each range of slots
     */
    record Owner(String id, HostAndPort address, long epoch, List<int[]> ranges) {}

    /** {@return what to ask a member, in this order} */
    static List<Call> questions() {
        return List.of(Call.of(Command.CLUSTER, NODES), Call.of(Command.CLUSTER, SLOTS));
    }

    /** Reads the answers to the questions. */
    static ClusterMap read(List<Call> answered, HostAndPort by) {
        Map<String, HostAndPort> endpoints =
                endpoints(Answers.list(answered.get(1).answer()), by);
        List<Owner> masters = new ArrayList<>();
        Set<String> members = new HashSet<>();
        for (String line : Answers.text(answered.get(0).answer()).split("\n", -1)) {
            String[] fields = line.split(" ", -1);
            if (fields.length >= FIRST_RANGE) {
                members.add(fields[0]);
                List<int[]> ranges = ranges(fields);
                HostAndPort address = endpoints.getOrDefault(fields[0], address(fields[ADDRESS], by));
                if (address != null && List.of(fields[FLAGS].split(",", -1)).contains("master")) {
                    masters.add(new Owner(fields[0], address, Long.parseLong(fields[CONFIG_EPOCH]), ranges));
                }
            }
        }
        return new ClusterMap(List.copyOf(masters), Set.copyOf(members));
    }

    private static List<int[]> ranges(String[] fields) {
        List<int[]> ranges = new ArrayList<>();
        for (int i = FIRST_RANGE; i < fields.length; i++) {
            // In brackets are slots on the move, which still belong to whoever they belonged to.
            if (!fields[i].startsWith("[")) {
                String[] ends = fields[i].split("-", -1);
                ranges.add(new int[] {Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])});
            }
        }
        return ranges;
    }

    /** The address in {@code host:port@busport,hostname}; a member that does not know its own host leaves it empty. */
    private static @Nullable HostAndPort address(String told, HostAndPort asked) {
        String address = told.split("[@,]", -1)[0];
        int colon = address.lastIndexOf(':');
        if (colon < 0) {
            return null;
        }
        String host = address.substring(0, colon);
        return new HostAndPort(host.isEmpty() ? asked.host() : host, Integer.parseInt(address.substring(colon + 1)));
    }

    /** Where members want to be reached, by their ids. One that does not know its own host is the one that was asked. */
    private static Map<String, HostAndPort> endpoints(List<?> ranges, HostAndPort asked) {
        Map<String, HostAndPort> endpoints = new HashMap<>();
        for (Object range : ranges) {
            List<?> member = Answers.list(Answers.list(range).get(2));
            String host = member.get(0) == null ? "" : Answers.text(member.get(0));
            endpoints.put(
                    Answers.text(member.get(MEMBER_ID)),
                    new HostAndPort(host.isEmpty() || host.equals("?") ? asked.host() : host, (int)
                            Answers.number(member.get(1))));
        }
        return endpoints;
    }
}
