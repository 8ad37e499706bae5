package dev.holdfast.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.Listening;
import dev.holdfast.redis.wire.Server;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** What is believed of those who tell who has a slot. */
final class SlotOwnersTest {
    private static final int SLOT = 7;

    private final SlotOwners owners = new SlotOwners();
    private final Map<HostAndPort, Server> servers = new ConcurrentHashMap<>();

    @Test
    void laterOwnerReplacesEarlierOne() {
        learn("a", 3, Set.of("a", "b"));
        learn("b", 5, Set.of("a", "b"));

        assertThat(owners.routeTo(SLOT)).isEqualTo(new Route(server("b"), 5));
        assertThat(owners.servers()).containsExactly(server("b"));
    }

    @Test
    void generationOfTheSameOwnerGrows() {
        learn("a", 3, Set.of("a"));
        learn("a", 4, Set.of("a"));

        assertThat(owners.routeTo(SLOT)).isEqualTo(new Route(server("a"), 4));
    }

    @Test
    void ownerWithASmallerGenerationIsNotBelieved() {
        learn("b", 5, Set.of("a", "b"));
        learn("a", 3, Set.of("a", "b"));

        assertThat(owners.routeTo(SLOT)).isEqualTo(new Route(server("b"), 5));
    }

    @Test
    void clusterThatWasMadeAnewIsUsedAndItsTokensGoOn() {
        learn("b", 5, Set.of("a", "b"));
        learn("c", 1, Set.of("c", "d"));

        assertThat(owners.routeTo(SLOT)).isEqualTo(new Route(server("c"), 5));
    }

    private void learn(String id, long epoch, Set<String> members) {
        ClusterMap.Owner owner = new ClusterMap.Owner(id, address(id), epoch, List.of(new int[] {SLOT, SLOT}));
        owners.learn(new ClusterMap(List.of(owner), members), address -> servers.computeIfAbsent(address, Unused::new));
    }

    private Server server(String id) {
        return servers.get(address(id));
    }

    private static HostAndPort address(String id) {
        return new HostAndPort(id, 1);
    }

    /** A server that nobody asks. */
    private record Unused(HostAndPort address) implements Server {
        @Override
        public void carry(Exchange exchange) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Listening listen() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void forgetIdle() {}

        @Override
        public String where() {
            return address.toString();
        }

        @Override
        public void close() {}
    }
}
