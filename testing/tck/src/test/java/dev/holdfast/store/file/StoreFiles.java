package dev.holdfast.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files of a store, to be looked at and damaged. Closing its lock file drops the locks that this process has on it,
 * so the clients that are alive meanwhile have to be in other processes.
 */
final class StoreFiles {
    private static final long SEED = 23;
    private static final int HEAD = 8;

    private final Path directory;

    StoreFiles(Path directory) {
        this.directory = directory;
    }

    Path directory() {
        return directory;
    }

    Path lock() {
        return directory.resolve("lock");
    }

    Path epochs(int slot) {
        return directory.resolve("epochs-" + slot);
    }

    Path clients() {
        return directory.resolve("clients");
    }

    /** {@return the one journal there is} */
    Path journal() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("journal-"))
                    .filter(Files::isRegularFile)
                    .collect(Collectors.collectingAndThen(Collectors.toList(), found -> {
                        if (found.size() != 1) {
                            throw new AssertionError("there should be one journal, but there are " + found);
                        }
                        return found.get(0);
                    }));
        }
    }

    /** {@return the directories of the clients} */
    Set<Path> homes() throws IOException {
        try (Stream<Path> files = Files.list(clients())) {
            return files.collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** {@return the directory of the one client that has come since} */
    Path homeSince(Set<Path> before) throws IOException {
        Set<Path> added = homes();
        added.removeAll(before);
        if (added.size() != 1) {
            throw new AssertionError("one client should have come, but these did: " + added);
        }
        return added.iterator().next();
    }

    /** {@return where the last entry of the journal begins} */
    long lastEntry() throws IOException {
        ByteBuffer journal = ByteBuffer.wrap(Files.readAllBytes(journal()));
        int last = 0;
        for (int at = 0; journal.getInt(at) > 0; at += (HEAD + journal.getInt(at) + 7) & ~7) {
            last = at;
        }
        return last;
    }

    /** {@return where the next entry of the journal will begin} */
    long journalEnd() throws IOException {
        int last = (int) lastEntry();
        int length = ByteBuffer.wrap(Files.readAllBytes(journal())).getInt(last);
        return (long) last + ((HEAD + length + 7) & ~7);
    }

    /** Writes into the middle of a file, and leaves the rest as it is. */
    static void overwrite(Path file, long at, byte... bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), at);
        }
    }

    /** Cuts a file off. */
    static void truncate(Path file, long size) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }

    /** Fills a file with garbage; it stays the same file, of the same size. */
    static void scramble(Path file) throws IOException {
        byte[] garbage = new byte[(int) Files.size(file)];
        new Random(SEED).nextBytes(garbage);
        overwrite(file, 0, garbage);
    }

    /** Changes a byte. */
    static void flip(Path file, long at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        overwrite(file, at, (byte) ~bytes[(int) at]);
    }

    /** Makes the lock file say that the machine was started since. */
    void startMachineAgain() throws IOException {
        writeHeader(header -> new Header(header.format(), header.generation(), "an-earlier-life", header.end()));
    }

    /** Changes what the lock file says. */
    void writeHeader(UnaryOperator<Header> change) throws IOException {
        try (FileChannel channel = FileChannel.open(lock(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            Header header = Header.read(channel).header();
            if (header == null) {
                throw new AssertionError("the lock file is unreadable");
            }
            change.apply(header).write(channel);
        }
    }

    /** Copies the files that are not forced to the disk: what a loss of power may bring back in an older state. */
    void saveUnforced(Path to) throws IOException {
        Files.createDirectories(to);
        Files.copy(lock(), to.resolve("lock"));
        Files.copy(journal(), to.resolve(journal().getFileName()));
    }

    /** Brings back what {@link #saveUnforced} has copied, as if nothing written since had reached the disk. */
    void restoreUnforced(Path from) throws IOException {
        Files.delete(lock());
        Files.delete(journal());
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, directory.resolve(file.getFileName()));
            }
        }
        startMachineAgain();
    }

    /** Deletes the directory and everything in it, in one moment for those who use it. */
    void delete() throws IOException {
        Path aside = directory.resolveSibling(directory.getFileName() + "-deleted");
        Files.move(directory, aside);
        Files.walkFileTree(aside, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException failed) throws IOException {
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    static byte[] zeros(long count) {
        return new byte[(int) count];
    }
}
