package dev.holdfast.rig.etcd;

import dev.holdfast.rig.CannotRunException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/** The server's executable: named by {@code HOLDFAST_TEST_ETCD_SERVER}, or {@code etcd} on the path. */
final class EtcdBinary {
    static final String ENVIRONMENT = "HOLDFAST_TEST_ETCD_SERVER";

    private EtcdBinary() {}

    /** Throws {@link CannotRunException} where there is none. */
    static Path find() {
        String given = System.getenv(ENVIRONMENT);
        if (given != null && !given.isBlank()) {
            Path executable = Path.of(given);
            if (!Files.isExecutable(executable)) {
                throw new IllegalArgumentException(ENVIRONMENT + " names no executable file: " + given);
            }
            return executable;
        }
        String path = System.getenv("PATH");
        for (String directory : path == null ? new String[0] : path.split(File.pathSeparator, -1)) {
            Path executable = Path.of(directory, "etcd");
            if (!directory.isEmpty() && Files.isExecutable(executable) && !Files.isDirectory(executable)) {
                return executable;
            }
        }
        throw new CannotRunException(
                "There is no etcd on the path; install it (Debian: apt-get install etcd-server), or set " + ENVIRONMENT
                        + " to an etcd of version 3.4 or later, to run these tests.");
    }
}
