package dev.holdfast.redis;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The outage contract where another server takes over. */
@Tag("full")
final class SentinelOutageTest extends OutageContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisSentinels group;

    @BeforeAll
    static void start() throws InterruptedException {
        group = RedisSentinels.start(rig, RedisSettings.defaults());
    }

    @Override
    public String url() {
        return group.url();
    }

    @Override
    public Outages outages() {
        return new Failovers();
    }

    /** What a network does is tested on one server: clients reach servers by the addresses that sentinels tell. */
    private static final class Failovers implements Outages {
        @Override
        public HoldfastBuilder connect(HoldfastBuilder client) {
            return client.url(group.url());
        }

        @Override
        public void begin(Fault fault) throws InterruptedException {
            if (fault != Fault.FAILED_OVER) {
                throw new IllegalArgumentException(fault.explanation());
            }
            group.failOver();
        }

        @Override
        public void end() throws InterruptedException {
            group.awaitSettled();
        }

        @Override
        public Map<Fault, String> impossible() {
            Map<Fault, String> elsewhere = new EnumMap<>(Fault.class);
            for (Fault fault : EnumSet.complementOf(EnumSet.of(Fault.FAILED_OVER))) {
                elsewhere.put(fault, "tested on one server");
            }
            return elsewhere;
        }
    }
}
