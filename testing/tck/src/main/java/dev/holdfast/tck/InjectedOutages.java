package dev.holdfast.tck;

import dev.holdfast.HoldfastBuilder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Breaks the {@link Link} of every client that it has set up. Used by one thread at a time. */
final class InjectedOutages implements Outages {
    private static final String NO_SERVER = "faults are injected before the store, and no server is touched";

    private final StoreUnderTest store;
    private final List<Link> links = new CopyOnWriteArrayList<>();
    private @Nullable Fault current;

    InjectedOutages(StoreUnderTest store) {
        this.store = store;
    }

    @Override
    public HoldfastBuilder connect(HoldfastBuilder client) {
        Link link = new Link();
        links.add(link);
        if (current != null) {
            apply(current, link);
        }
        return client.store(context -> link.connect(context, store::open));
    }

    @Override
    public void begin(Fault fault) {
        current = fault;
        links.forEach(link -> apply(fault, link));
    }

    @Override
    public void end() {
        current = null;
        links.forEach(Link::heal);
    }

    @Override
    public Map<Fault, String> impossible() {
        return Map.of(
                Fault.RESTARTED, NO_SERVER,
                Fault.FAILED_OVER, NO_SERVER,
                Fault.CONNECTIONS_DEAD, "faults are injected before the store, and no connection is touched");
    }

    @Override
    public boolean silences(String name) {
        return name.hashCode() % 2 != 0;
    }

    private void apply(Fault fault, Link link) {
        switch (fault) {
            case SILENT -> link.silence(name -> true);
            case PARTLY_SILENT -> link.silence(this::silences);
            case REFUSED -> link.cut();
            case RESET -> link.reset();
            case SLOW -> link.slowDown(SLOWNESS);
            case REPLIES_LOST -> link.holdEverythingBack();
            case READS_ONLY -> link.refuseChanges();
            case CONNECTIONS_DEAD, RESTARTED, FAILED_OVER -> throw new IllegalArgumentException(fault.explanation());
        }
    }
}
