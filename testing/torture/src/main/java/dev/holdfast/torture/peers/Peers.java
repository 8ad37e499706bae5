package dev.holdfast.torture.peers;

import dev.holdfast.torture.peers.Peer.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** What the coordinator asks of the libraries. */
public final class Peers {
    private static final int NAMES = 4;

    private Peers() {}

    /**
     * Makes what has to be there before the first client, such as tables.
     *
     * @param maker whose
     * @param url of the store
     */
    public static void prepare(Maker maker, String url) {
        maker.prepare(url);
    }

    /** The names that workers lock. */
    static List<String> names(String prefix) {
        return IntStream.range(0, NAMES).mapToObj(i -> prefix + "x" + i).toList();
    }

    /**
     * Tries to take every lock when all workers have ended.
     *
     * @param maker whose
     * @param url of the store
     * @param lease of every lock
     * @param prefix of every name
     * @param patience how long to wait for each; longer than whatever a dead holder may keep
     * @return those that nobody can take
     * @throws InterruptedException if interrupted
     */
    public static List<String> left(Maker maker, String url, Duration lease, String prefix, Duration patience)
            throws InterruptedException {
        List<String> left = new ArrayList<>();
        try (Peer peer = maker.open(url, lease)) {
            for (String name : names(prefix)) {
                if (!isFree(peer, name, patience)) {
                    left.add(name);
                }
            }
        } catch (InterruptedException stopped) {
            throw stopped;
        } catch (Exception failed) {
            left.add("? " + failed);
        }
        return left;
    }

    private static boolean isFree(Peer peer, String name, Duration patience) throws Exception {
        long until = System.nanoTime() + patience.toNanos();
        do {
            Held held = peer.take(name, Duration.ofMillis(500));
            if (held != null) {
                held.release();
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        } while (System.nanoTime() < until);
        return false;
    }
}
