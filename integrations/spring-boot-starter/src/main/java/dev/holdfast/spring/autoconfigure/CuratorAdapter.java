package dev.holdfast.spring.autoconfigure;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.zookeeper.Mode;
import dev.holdfast.zookeeper.ZooKeeperLocks;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;

/** Locks in ZooKeeper, through the application's Curator client. */
final class CuratorAdapter implements StoreFinder.Adapter {

    @Override
    public Consumer<HoldfastBuilder> adapt(Object bean, Map<String, String> options) {
        Options.only(options, "a CuratorFramework", Set.of("base", "mode"));
        CuratorFramework curator = (CuratorFramework) bean;
        if (curator.getState() == CuratorFrameworkState.LATENT) {
            curator.start();
        }
        ZooKeeperLocks locks = ZooKeeperLocks.on(curator);
        String base = options.get("base");
        if (base != null) {
            locks = locks.withBase(base);
        }
        String mode = options.get("mode");
        if (mode != null) {
            locks = locks.withMode(Options.choice("mode", mode, Mode.class));
        }
        ZooKeeperLocks chosen = locks;
        return builder -> builder.store(chosen);
    }
}
