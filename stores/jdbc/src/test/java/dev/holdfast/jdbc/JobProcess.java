package dev.holdfast.jdbc;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A job in a process of its own: takes all of its names at once, again and again, and marks each as in use by creating a
 * file. A mark that is there already shows that two jobs overlap. The argument {@code hang} makes it keep the locks until
 * it is killed.
 */
final class JobProcess {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long MOMENT_MILLIS = 20;

    private JobProcess() {}

    /** {@code URL A|B DIRECTORY ROUNDS|hang} */
    public static void main(String[] args) throws IOException, InterruptedException {
        List<String> names = namesOf(args[1]);
        Path directory = Path.of(args[2]);
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(3));
        // Several cold processes on a busy machine need seconds to load a driver.
        try (Holdfast locks =
                Holdfast.builder().url(args[0]).commandTimeout(PATIENCE).build()) {
            if (args[3].equals("hang")) {
                Lease lease = locks.all(names, options).acquire();
                System.out.println("holds " + lease.names().size());
                while (lease.isHeld()) {
                    Thread.sleep(MOMENT_MILLIS);
                }
                return;
            }
            int rounds = Integer.parseInt(args[3]);
            for (int i = 0; i < rounds; i++) {
                try (Lease lease = locks.all(names, options).acquire()) {
                    lease.ensureHeld();
                    work(directory, names);
                }
            }
        }
        System.out.println("done");
    }

    static List<String> namesOf(String job) {
        return List.of("share_a", "share_b", "share_c", job + "_d", job + "_e", job + "_f");
    }

    private static void work(Path directory, List<String> names) throws IOException {
        List<Path> marks = new ArrayList<>();
        for (String name : names) {
            Path mark = directory.resolve(name);
            try {
                marks.add(Files.createFile(mark));
            } catch (FileAlreadyExistsException overlap) {
                System.out.println("overlap at " + name);
                throw overlap;
            }
        }
        for (Path mark : marks) {
            Files.delete(mark);
        }
    }
}
