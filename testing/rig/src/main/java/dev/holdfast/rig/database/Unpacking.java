package dev.holdfast.rig.database;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.rig.RigException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Gets the files of a server out of a jar on the class path. */
public final class Unpacking {
    private static final String PLATFORM = "linux-amd64";

    private Unpacking() {}

    /**
     * Finds a resource with the files of a server for this machine.
     *
     * @param server for the message
     * @param resource its path on the class path
     * @param environment the variable that names a server to use instead
     * @return where it is
     * @throws CannotRunException if it is not there or not for this machine
     */
    public static URL resource(String server, String resource, String environment) {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String platform = system + "-" + (machine.equals("x86_64") ? "amd64" : machine);
        URL found = Unpacking.class.getResource("/" + resource);
        if (!platform.equals(PLATFORM) || found == null) {
            throw new CannotRunException("There is no binary of " + server + " for " + platform
                    + " on the class path; set " + environment
                    + " to the JDBC URL of a server, with user and password, for the tests that only talk to one.");
        }
        return found;
    }

    /**
     * Unpacks a tar file.
     *
     * @param tar not compressed any more; closed by the caller
     * @param directory where its contents go
     * @throws IOException if it cannot be read or written
     * @throws InterruptedException if interrupted
     */
    public static void tar(InputStream tar, Path directory) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of("tar", "-x", "-f", "-", "-C", directory.toString()))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.INHERIT)
                .start();
        try (OutputStream input = process.getOutputStream()) {
            tar.transferTo(input);
        }
        int status = process.waitFor();
        if (status != 0) {
            throw new RigException("tar ended with " + status);
        }
    }

    /**
     * Copies files out of a jar.
     *
     * @param root a directory in the jar
     * @param wanted of the paths below it
     * @param directory where they go
     * @throws IOException if the jar cannot be read or a file not written
     */
    public static void jar(URL root, Predicate<String> wanted, Path directory) throws IOException {
        if (!(root.openConnection() instanceof JarURLConnection connection)) {
            throw new FileNotFoundException(root + " is not in a jar");
        }
        connection.setUseCaches(false);
        String prefix =
                connection.getEntryName().endsWith("/") ? connection.getEntryName() : connection.getEntryName() + "/";
        try (JarFile jar = connection.getJarFile()) {
            for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
                String name = entry.getName();
                if (!entry.isDirectory() && name.startsWith(prefix) && wanted.test(name.substring(prefix.length()))) {
                    Path target = directory.resolve(name.substring(prefix.length()));
                    Files.createDirectories(target.getParent());
                    try (InputStream content = jar.getInputStream(entry)) {
                        Files.copy(content, target);
                    }
                }
            }
        }
    }
}
