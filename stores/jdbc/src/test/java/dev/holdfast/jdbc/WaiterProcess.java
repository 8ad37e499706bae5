package dev.holdfast.jdbc;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.util.Arrays;
import java.util.List;

/** Waits for several names at once in a process of its own, which a test kills. */
final class WaiterProcess {
    private WaiterProcess() {}

    /** {@code URL NAME NAME…} */
    public static void main(String[] args) throws InterruptedException {
        List<String> names = Arrays.asList(args).subList(1, args.length);
        // A cold process may need longer than a command may take, so it connects when it waits, and tries again.
        try (Holdfast locks = Holdfast.builder().url(args[0]).lazy(true).build();
                Lease lease = locks.all(names, LockOptions.defaults()).acquire()) {
            System.out.println("holds " + lease.names().size());
        }
    }
}
