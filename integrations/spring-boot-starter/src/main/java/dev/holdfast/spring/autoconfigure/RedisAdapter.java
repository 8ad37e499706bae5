package dev.holdfast.spring.autoconfigure;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.RedisConnections;
import dev.holdfast.redis.RedisStores;
import dev.holdfast.spring.HoldfastStartupException;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Locks on the application's Redis. The settings of its connection factory are taken over, with whatever client it uses;
 * the connections are Holdfast's own.
 */
final class RedisAdapter implements StoreFinder.Adapter {

    @Override
    public Consumer<HoldfastBuilder> adapt(Object bean, Map<String, String> options) {
        RedisConnections connections = with(taken((RedisConnectionFactory) bean), options);
        return builder -> builder.store(connections);
    }

    private static RedisConnections taken(RedisConnectionFactory factory) {
        try {
            return RedisStores.fromSpring(factory);
        } catch (StoreMisconfiguredException unknown) {
            throw new HoldfastStartupException(
                    Objects.requireNonNull(unknown.getMessage()), "set 'holdfast.url' to the address of Redis");
        }
    }

    private static RedisConnections with(RedisConnections connections, Map<String, String> options) {
        RedisConnections all = connections;
        for (Map.Entry<String, String> option : options.entrySet()) {
            all = all.withOption(option.getKey(), option.getValue());
        }
        return all;
    }
}
