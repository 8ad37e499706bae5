package dev.holdfast.zookeeper;

import dev.holdfast.StoreMisconfiguredException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;

/**
 * The names that have a node. ZooKeeper tells all of them in one reply, and its client drops the connection when a reply is
 * larger than it takes. On a connection that is lent, that would disturb whatever else the program does there, so the number
 * of names is read first.
 */
final class NamesInUse {
    /** The longest name, and its length in four bytes. Only names of many characters that need an encoding are longer. */
    private static final int BYTES_PER_NAME = 259;

    private NamesInUse() {}

    /** Those that begin with some text, sorted. */
    static List<String> read(String prefix, Layout layout, Session session, Call call) throws KeeperException {
        CompletableFuture<Boolean> caughtUp = session.sync(layout.locks());
        CompletableFuture<Session.Node> locks = session.read(layout.locks(), null);
        call.await(caughtUp);
        int number = call.await(locks).stat().getNumChildren();
        if ((long) number * BYTES_PER_NAME > session.largestReply()) {
            throw new StoreMisconfiguredException("there are " + number
                    + " names, and a reply of ZooKeeper that tells all may be larger than the client takes ("
                    + session.largestReply()
                    + " bytes), which would cost it its connection; raise 'jute.maxbuffer' in the client's ZKClientConfig, or list"
                    + " with a client that connects by a URL");
        }
        return call.await(session.children(layout.locks(), null)).stream()
                .map(Layout::decode)
                .filter(name -> name.startsWith(prefix))
                .sorted()
                .toList();
    }
}
