package dev.holdfast.simulation;

import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.store.table.LockTable;
import dev.holdfast.store.table.Notices;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The simulated lock server: the library's own {@link LockTable} on a clock of its own, which can be down, restart and
 * forget everything. Its messages to clients travel over their {@link Link}s.
 */
final class Server implements Notices<Process> {
    /** Where the server's clock starts, in microseconds since the origin of epochs. */
    private static final long EPOCH_BASE_MICROS = 31_536_000_000_000L;

    private final World world;
    private final SkewedClock clock;
    private final Ledger ledger;
    private LockTable<Process> table;
    private long lastEpoch;
    private boolean down;

    /** Counts restarts: messages of an earlier connection do not arrive. */
    private int connectionEra;

    Server(World world, SkewedClock clock, Ledger ledger) {
        this.world = world;
        this.clock = clock;
        this.ledger = ledger;
        this.table = newTable();
    }

    private LockTable<Process> newTable() {
        return new LockTable<>(StoreTraits.Expiry.LEASE, this::nextEpoch, this);
    }

    private long nextEpoch() {
        lastEpoch = Math.max(lastEpoch + 1, EPOCH_BASE_MICROS + clock.nanos() / 1_000);
        return lastEpoch;
    }

    LockTable<Process> table() {
        return table;
    }

    Ledger ledger() {
        return ledger;
    }

    /** The server's own reading of time. */
    long nanos() {
        return clock.nanos();
    }

    /** The server's reading at a moment of true time. */
    long readClock(long trueNanos) {
        return clock.read(trueNanos);
    }

    boolean isDown() {
        return down;
    }

    int connectionEra() {
        return connectionEra;
    }

    /** Goes down, with all connections. */
    void stop() {
        world.log("server stops");
        down = true;
        connectionEra++;
    }

    /** Comes back, with its state or without. */
    void start(boolean forgetful) {
        world.log(forgetful ? "server starts, having forgotten everything" : "server starts");
        down = false;
        if (forgetful) {
            table = newTable();
            lastEpoch = 0;
            ledger.forget();
        }
    }

    /** An operator takes a name away from its holders. */
    void evict(String name) {
        if (down) {
            return;
        }
        refresh(name);
        int expected = ledger.evict(name, OptionalLong.empty(), nanos());
        int evicted = table.evict(name, OptionalLong.empty(), "operator", "simulated", nanos());
        if (world.logs()) {
            world.log("server evicts " + evicted + " holders of " + name);
        }
        if (evicted != expected) {
            world.fail("P2", "evicted " + evicted + " holders of " + name + " instead of " + expected);
        }
    }

    /** Lets the table notice what has expired, as its next step would do anyway, so that the ledger knows first. */
    void refresh(String name) {
        Optional<LockView> unused = table.inspect(name, nanos());
    }

    @Override
    public void granted(Process client, List<Grant> grants) {
        ledger.served(client, grants, nanos());
        long serverNanos = nanos();
        client.link().push("granted", () -> client.grantPushed(grants, serverNanos));
    }

    @Override
    public void wanted(Process client, String name, long epoch) {
        long serverNanos = nanos();
        client.link().push("wanted", () -> client.wantedPushed(name, epoch, serverNanos));
    }

    @Override
    public void lost(Process client, String name, OwnerId owner, long epoch, LossReason reason) {
        client.link().push("lost", () -> client.lossPushed(name, owner, epoch, reason));
    }
}
