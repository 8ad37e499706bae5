package dev.holdfast.tck;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import java.util.ArrayList;
import java.util.List;

/**
 * A kind of lock, for tests of what is the same for all of them.
 *
 * @param what its name in reports
 * @param lock makes it
 * @param blocker makes one of the same name that leaves no room for it
 */
record Kind(String what, Maker lock, Maker blocker) {
    private static final int CAPACITY = 4;

    /** Makes a lock of a client on a name. */
    @FunctionalInterface
    interface Maker {
        DistributedLock of(Holdfast client, String name, LockOptions options);
    }

    static List<Kind> promisedBy(StoreTraits traits) {
        List<Kind> kinds = new ArrayList<>();
        kinds.add(new Kind("exclusive", Holdfast::lock, Holdfast::lock));
        if (traits.promises(Promise.READ_WRITE)) {
            Maker write = (client, name, options) ->
                    client.readWriteLock(name, options).writeLock();
            kinds.add(new Kind(
                    "read",
                    (client, name, options) ->
                            client.readWriteLock(name, options).readLock(),
                    write));
            kinds.add(new Kind("write", write, write));
        }
        if (traits.promises(Promise.SEMAPHORE)) {
            kinds.add(new Kind(
                    "permit",
                    (client, name, options) ->
                            client.semaphore(name, CAPACITY, options).permits(1),
                    (client, name, options) ->
                            client.semaphore(name, CAPACITY, options).permits(CAPACITY)));
        }
        if (traits.promises(Promise.SEVERAL_NAMES)) {
            Maker two = (client, name, options) -> client.all(List.of(name + "/a", name + "/b"), options);
            kinds.add(new Kind("two names", two, two));
        }
        return kinds;
    }
}
