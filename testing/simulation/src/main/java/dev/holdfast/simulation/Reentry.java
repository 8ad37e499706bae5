package dev.holdfast.simulation;

import dev.holdfast.LeaseLostException;
import dev.holdfast.LeasedLock;
import dev.holdfast.StoreUnavailableException;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A hold through the thread-owned view: enters, enters again, and leaves as often (P6). */
final class Reentry {
    private final Workload workload;
    private final World world;
    private final Process process;
    private final Spot spot;
    private final LeasedLock view;
    private final SplittableRandom random;
    private final Runnable afterwards;
    private @Nullable Holding holding;
    private int depth;
    private int stepsLeft;

    Reentry(
            Workload workload,
            Process process,
            Spot spot,
            LeasedLock view,
            SplittableRandom random,
            Runnable afterwards) {
        this.workload = workload;
        this.world = workload.world;
        this.process = process;
        this.spot = spot;
        this.view = view;
        this.random = random;
        this.afterwards = afterwards;
    }

    /**
     * Tries to enter for the first time.
     *
     * @return false if that was all
     */
    boolean begin() {
        if (!process.enterAsThread(spot.key())) {
            return false;
        }
        Wait wait = workload.begin(process, spot, Wait.Way.RE_ENTRANT, 0);
        boolean entered = false;
        try {
            entered = view.tryLock();
        } catch (StoreUnavailableException unknown) {
            world.log(process + " cannot tell whether it has " + spot);
        }
        workload.settled(wait);
        if (!entered) {
            process.leaveAsThread(spot.key());
            return false;
        }
        holding = granted();
        if (world.logs()) {
            world.log(process + " enters " + spot + ": " + holding);
        }
        check();
        if (holding != null) {
            holding.unownedSince = Holding.NEVER;
        }
        depth = 1;
        stepsLeft = random.nextInt(4);
        process.holdBegins();
        later();
        return true;
    }

    /** The grant behind the view. */
    private @Nullable Holding granted() {
        return view.lease()
                .map(lease -> workload.ledger.find(spot.key(), lease.token() >> 12))
                .orElse(null);
    }

    private void later() {
        boolean calm = world.now() >= workload.calmSince();
        long longest = calm ? 30 * Profile.MILLI : workload.profile.longestHoldNanos;
        world.at(
                world.now() + Profile.between(random, Profile.MICRO, Math.max(longest, Profile.MILLI)),
                process,
                this::step);
    }

    private void step() {
        if (stepsLeft-- > 0) {
            try {
                if (view.tryLock()) {
                    depth++;
                    check();
                } else {
                    world.fail("P6", process + " cannot enter " + spot + " again");
                }
            } catch (LeaseLostException lost) {
                world.log(process + " finds " + spot + " lost when entering again");
                stepsLeft = 0;
            }
            later();
            return;
        }
        leave();
    }

    private void leave() {
        if (world.logs()) {
            world.log(process + " leaves " + spot + " " + depth + " times");
        }
        if (holding != null) {
            holding.unownedSince = world.now();
        }
        process.holdEnds();
        while (depth-- > 0) {
            try {
                view.unlock();
            } catch (LeaseLostException lost) {
                world.log(process + " finds " + spot + " lost when leaving");
            }
        }
        process.leaveAsThread(spot.key());
        afterwards.run();
    }

    private void check() {
        if (holding == null
                || holding.state == Holding.State.RELEASED
                || process.server().nanos() >= holding.expiry.nanos) {
            world.fail("P6", process + " has entered " + spot + " but the server knows of no hold: " + holding);
        }
    }
}
