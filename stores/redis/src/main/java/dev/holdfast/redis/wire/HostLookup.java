package dev.holdfast.redis.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * Finds the addresses of hosts by a deadline. A lookup of the JDK takes as long as the name servers take, which can be many
 * seconds, so it has a thread of its own: one for each host at a time, however many ask. Thread-safe.
 */
public final class HostLookup {
    /** As the JDK does it, which also remembers answers for a while. */
    public static final HostLookup SYSTEM = new HostLookup(InetAddress::getAllByName);

    /** What needs no name server. */
    private static final Pattern LITERAL = Pattern.compile("[0-9.]+|\\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.%a-z]*]?");

    private final Names names;
    private final Map<String, CompletableFuture<InetAddress[]>> underWay = new ConcurrentHashMap<>();

    /** Whoever knows names. */
    interface Names {
        InetAddress[] find(String host) throws IOException;
    }

    HostLookup(Names names) {
        this.names = names;
    }

    /** Begins to look, so that somebody else who does the same for other hosts need not wait for them one by one. */
    public void begin(String host) {
        if (!LITERAL.matcher(host).matches()) {
            CompletableFuture<InetAddress[]> unused = lookup(host);
        }
    }

    /**
     * Finds the addresses of a host.
     *
     * @throws UnknownHostException if it is not known
     * @throws SocketTimeoutException if nobody tells in time
     */
    public InetAddress[] find(String host, Deadline deadline) throws IOException {
        if (LITERAL.matcher(host).matches()) {
            return names.find(host);
        }
        try {
            return deadline.await(lookup(host));
        } catch (ExecutionException unknown) {
            throw (IOException)
                    new UnknownHostException("the host " + host + " is not known").initCause(unknown.getCause());
        } catch (TimeoutException late) {
            throw (IOException)
                    new SocketTimeoutException("the address of " + host + " was not found in time").initCause(late);
        }
    }

    private CompletableFuture<InetAddress[]> lookup(String host) {
        CompletableFuture<InetAddress[]> fresh = new CompletableFuture<>();
        CompletableFuture<InetAddress[]> known = underWay.putIfAbsent(host, fresh);
        if (known != null) {
            return known;
        }
        Thread thread = new Thread(() -> find(host, fresh), "holdfast-lookup");
        thread.setDaemon(true);
        thread.start();
        return fresh;
    }

    private void find(String host, CompletableFuture<InetAddress[]> told) {
        try {
            told.complete(names.find(host));
        } catch (IOException | RuntimeException | Error unknown) {
            told.completeExceptionally(unknown);
        } finally {
            underWay.remove(host, told);
        }
    }
}
