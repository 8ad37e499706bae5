package dev.holdfast.bench.results;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a run ran on. It does not tell whose it is: it has no host name and no path.
 *
 * @param processor its name; null where the system does not tell
 * @param processors as many as Java sees
 * @param memoryGib the memory of the machine
 * @param os the name of the operating system
 * @param arch the architecture
 * @param kernel the version of the operating system
 */
public record Machine(
        @Nullable String processor, int processors, double memoryGib, String os, String arch, String kernel) {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final double GIB = 1 << 30;

    /**
     * Looks at this one.
     *
     * @return what it is
     */
    public static Machine here() {
        return new Machine(
                processorName(CPU_INFO).orElse(null),
                Runtime.getRuntime().availableProcessors(),
                Math.round(memory() / GIB * 10) / 10.0,
                System.getProperty("os.name", "unknown"),
                System.getProperty("os.arch", "unknown"),
                System.getProperty("os.version", "unknown"));
    }

    /** {@return the load average of the last minute; null where the system does not know} */
    public static @Nullable Double load() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return load < 0 ? null : Math.round(load * 100) / 100.0;
    }

    /** {@return the same for people} */
    public String text() {
        return processors + (processors == 1 ? " processor, " : " processors, ")
                + Optional.ofNullable(processor).map(name -> name + ", ").orElse("") + Math.round(memoryGib)
                + " GiB, " + os + " " + kernel + " " + arch;
    }

    static Optional<String> processorName(Path cpuInfo) {
        try (Stream<String> lines = Files.lines(cpuInfo)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        } catch (IOException notThere) {
            return Optional.empty();
        }
    }

    private static long memory() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : 0;
    }
}
