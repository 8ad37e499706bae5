package dev.holdfast.redis.redlock;

import dev.holdfast.rig.Rig;
import dev.holdfast.tck.Outages;
import dev.holdfast.tck.ShortOutageContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two outages of all nodes of a quorum, in every build. */
final class RedlockShortOutageTest extends ShortOutageContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static final String OPTIONS = "fresh=true&nodeTimeout=300ms";

    private static RedlockNodes nodes;

    @BeforeAll
    static void start() throws InterruptedException {
        nodes = RedlockNodes.startDurable(rig, 3);
    }

    @Override
    public String url() {
        return nodes.url(RedlockNodes.CALM);
    }

    @Override
    public Outages outages() {
        return new RedlockOutages(nodes, OPTIONS);
    }
}
