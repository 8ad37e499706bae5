package dev.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;

/** The leases that one client's program has in its hands, looked at after each event of the client. */
final class Beliefs {
    private final World world;
    private final Process process;
    private final List<LeaseWatch> leases = new ArrayList<>(4);

    Beliefs(World world, Process process) {
        this.world = world;
        this.process = process;
    }

    void add(LeaseWatch watch) {
        leases.add(watch);
    }

    void remove(LeaseWatch watch) {
        leases.remove(watch);
    }

    List<LeaseWatch> leases() {
        return leases;
    }

    /** Checks every lease against the truth. */
    void observe() {
        for (int i = 0; i < leases.size(); i++) {
            leases.get(i).observe();
        }
    }

    /** The first thing that a program does after a pause. */
    void observeWaking() {
        for (LeaseWatch watch : leases) {
            watch.observeWaking();
        }
    }

    /** The server has carried out a release of the client's. */
    void released(Holding holding) {
        for (LeaseWatch watch : leases) {
            if (!process.isCrashed()
                    && watch.standsFor(holding)
                    && watch.lease().isHeld()) {
                world.fail("P1", holding + " was released at the server while its lease is held");
            }
        }
    }
}
