package dev.holdfast.store.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The machine's clock and life. Decides nothing about who holds a lock. */
final class MachineTime {
    private static final long ORIGIN_MILLIS = 1_735_689_600_000L;
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private MachineTime() {}

    /** {@return the wall clock, for ages that people see} */
    static long wallNanos() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }

    /** {@return microseconds since 2025-01-01, where the epochs of a new directory begin} */
    static long microsSince2025() {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() - ORIGIN_MILLIS);
    }

    /** {@return what differs after each start of the machine; empty where that cannot be known} */
    static String boot() {
        try {
            return Files.readString(BOOT_ID).strip();
        } catch (IOException notLinux) {
            return "";
        }
    }
}
