package dev.holdfast.store.file;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A file system of a few hundred kilobytes in memory, which can be filled and made read-only. Needs root. */
final class SmallDisk implements AutoCloseable {
    private final Path mountPoint;
    private final Path filler;

    private SmallDisk(Path mountPoint) {
        this.mountPoint = mountPoint;
        this.filler = mountPoint.resolve("filler");
    }

    /** Mounts one, or reports the calling test as not possible here. */
    static SmallDisk mount(Path mountPoint, int kilobytes) throws IOException, InterruptedException {
        Files.createDirectories(mountPoint);
        int status = Signals.run(
                List.of("mount", "-t", "tmpfs", "-o", "size=" + kilobytes + "k", "tmpfs", mountPoint.toString()));
        assumeTrue(status == 0, "cannot mount a small tmpfs here (mount ended with " + status + "); needs root");
        return new SmallDisk(mountPoint);
    }

    Path path() {
        return mountPoint;
    }

    /** Takes all room that is left. */
    void fill() throws IOException, InterruptedException {
        long left = Files.getFileStore(mountPoint).getUsableSpace();
        int status =
                Signals.run(List.of("dd", "if=/dev/zero", "of=" + filler, "bs=4096", "count=" + (left / 4096 + 1)));
        if (status == 0) {
            throw new AssertionError("the disk is not full");
        }
    }

    void makeRoom() throws IOException {
        Files.delete(filler);
    }

    void makeReadOnly() throws InterruptedException {
        if (Signals.run(List.of("mount", "-o", "remount,ro", mountPoint.toString())) != 0) {
            throw new AssertionError("cannot make " + mountPoint + " read-only");
        }
    }

    @Override
    public void close() throws InterruptedException {
        if (Signals.run(List.of("umount", mountPoint.toString())) != 0
                && Signals.run(List.of("umount", "-l", mountPoint.toString())) != 0) {
            throw new AssertionError("cannot unmount " + mountPoint);
        }
    }
}
