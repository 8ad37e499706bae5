package dev.holdfast.redis.redlock;

import dev.holdfast.rig.Rig;
import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of three nodes at once, with clients in the middle of their work. */
@Tag("full")
final class RedlockOutageTest extends OutageContract {
    private static final String OPTIONS = "fresh=true&nodeTimeout=300ms";

    @RegisterExtension
    static final Rig rig = new Rig();

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
