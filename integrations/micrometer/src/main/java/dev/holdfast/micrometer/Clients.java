package dev.holdfast.micrometer;

import dev.holdfast.ClientStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** The numbers of all clients together. Thread-safe. */
final class Clients {
    /** Guarded by this object's monitor, as are the totals. */
    private final List<ClientStatistics> open = new ArrayList<>();

    private final List<Total> totals = new ArrayList<>();

    /**
     * A number that only grows, over all clients there have been: what a closed client has counted is kept when the
     * client itself is forgotten, which happens when the next one is opened.
     */
    final class Total {
        private final ToLongFunction<ClientStatistics> number;

        /** Of clients that are forgotten. */
        private long kept;

        private Total(ToLongFunction<ClientStatistics> number) {
            this.number = number;
        }

        double value() {
            synchronized (Clients.this) {
                return kept + sum(number);
            }
        }
    }

    synchronized Total total(ToLongFunction<ClientStatistics> number) {
        Total total = new Total(number);
        totals.add(total);
        return total;
    }

    synchronized void add(ClientStatistics fresh) {
        for (ClientStatistics client : List.copyOf(open)) {
            if (client.isClosed()) {
                totals.forEach(total -> total.kept += total.number.applyAsLong(client));
                open.remove(client);
            }
        }
        open.add(fresh);
    }

    /** A number of the clients there are. */
    synchronized long sum(ToLongFunction<ClientStatistics> number) {
        return open.stream().mapToLong(number).sum();
    }

    synchronized double longestLagNanos() {
        return open.stream()
                .mapToLong(client -> client.renewalLag().toNanos())
                .max()
                .orElse(0);
    }
}
