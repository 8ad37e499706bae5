package dev.holdfast.bench.ruler;

import dev.holdfast.rig.Rig;
import java.util.List;

/** What locks are kept in, and what is measured on it. */
interface Store {
    /** The name on the command line. */
    String word();

    List<Scenario> scenarios();

    /** Starts a real server, which ends with the rig. */
    Venue start(Rig rig) throws InterruptedException;

    static List<Store> all() {
        return List.of(
                new MemoryStore(),
                new RedisStore(),
                new RedlockStore(),
                new PostgresStore(),
                new MariaDbStore(),
                new ZooKeeperStore(),
                new EtcdStore());
    }

    /** Those that a survey looks at. etcd has to be installed, and its scenarios would not fit into a quarter of an hour. */
    static List<Store> surveyed() {
        return all().stream().filter(store -> !(store instanceof EtcdStore)).toList();
    }
}
