package dev.holdfast.store.file;

import dev.holdfast.StoreMisconfiguredException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where the files of a store are. New directories belong to the user alone; files follow the directory's rights. */
final class StoreDirectory {
    /** File systems whose locks may not reach the other machines that see the same files, or that lose them. */
    private static final Pattern NETWORK = Pattern.compile(
            "(nfs\\d*|cifs|smb\\d*|smbfs|ncpfs|ncp|afs|coda|9p|v9fs|ceph|glusterfs|lustre|beegfs|gpfs|ocfs2|gfs2|pvfs2"
                    + "|orangefs|davfs2?|virtiofs|vboxsf|prl_fs|vmhgfs|acfs|fuse\\.(ceph|glusterfs|sshfs|davfs2?|s3fs"
                    + "|rclone|gcsfuse|goofys|vmhgfs-fuse|lustre|juicefs|beegfs|moosefs|mfs|curlftpfs|smbnetfs|afp))");

    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final String JOURNAL = "journal-";

    private final Path path;
    private final boolean posix;
    private final Set<PosixFilePermission> filePermissions;
    private final Set<PosixFilePermission> directoryPermissions;

    private StoreDirectory(Path path) throws IOException {
        this.path = path;
        this.posix = Files.getFileStore(path).supportsFileAttributeView("posix");
        this.directoryPermissions =
                posix ? Files.getPosixFilePermissions(path) : EnumSet.noneOf(PosixFilePermission.class);
        this.filePermissions = EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        if (directoryPermissions.contains(PosixFilePermission.GROUP_WRITE)) {
            filePermissions.add(PosixFilePermission.GROUP_READ);
            filePermissions.add(PosixFilePermission.GROUP_WRITE);
        }
        if (directoryPermissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            filePermissions.add(PosixFilePermission.OTHERS_READ);
            filePermissions.add(PosixFilePermission.OTHERS_WRITE);
        }
    }

    /** Makes the directory if there is none, and refuses one that cannot be trusted with locks. */
    static StoreDirectory prepare(Path wanted) throws IOException {
        try {
            if (!Files.isDirectory(wanted)) {
                Files.createDirectories(wanted, PRIVATE);
            }
        } catch (FileAlreadyExistsException notDirectory) {
            throw new StoreMisconfiguredException(
                    "'" + wanted + "' is not a directory; give the file store a directory of its own", notDirectory);
        }
        Path real = wanted.toRealPath();
        refuseNetwork(real, Files.getFileStore(real).type());
        StoreDirectory directory = new StoreDirectory(real);
        directory.makeDirectory(directory.clients());
        return directory;
    }

    static void refuseNetwork(Path path, String fileSystemType) {
        if (NETWORK.matcher(fileSystemType.toLowerCase(Locale.ROOT)).matches()) {
            throw new StoreMisconfiguredException("'" + path + "' is on a network file system (" + fileSystemType
                    + "), whose locks cannot be relied on between machines; choose a directory on a local disk, or a"
                    + " store that is made for several machines");
        }
    }

    Path path() {
        return path;
    }

    Path lockFile() {
        return path.resolve("lock");
    }

    Path epochs(int slot) {
        return path.resolve("epochs-" + slot);
    }

    Path journal(long generation) {
        return path.resolve(JOURNAL + generation);
    }

    Path clients() {
        return path.resolve("clients");
    }

    Path client(String id) {
        return clients().resolve(id);
    }

    /** {@return the generations of the journals that lie here} */
    List<Long> journals() throws IOException {
        List<Long> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path, JOURNAL + "*")) {
            for (Path file : files) {
                String number = file.getFileName().toString().substring(JOURNAL.length());
                if (number.matches("\\d{1,18}")) {
                    found.add(Long.parseLong(number));
                }
            }
        }
        return found;
    }

    /** Deletes the journals that no longer count. One that cannot be deleted harms nobody. */
    void deleteJournalsBut(long generation) {
        try {
            for (long other : journals()) {
                if (other != generation) {
                    deleteQuietly(journal(other));
                }
            }
        } catch (IOException left) {
            return;
        }
    }

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException left) {
            return;
        }
    }

    /** {@return the clients that have files here, alive or not} */
    List<String> clientIds() throws IOException {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(clients())) {
            for (Path file : files) {
                if (Files.isDirectory(file)) {
                    found.add(file.getFileName().toString());
                }
            }
        } catch (NoSuchFileException deleted) {
            makeDirectory(clients());
        }
        return found;
    }

    /** Opens a file; one that is new gets the rights that the directory implies. */
    FileChannel open(Path file, OpenOption... options) throws IOException {
        boolean isNew = List.of(options).contains(StandardOpenOption.CREATE) && !Files.exists(file);
        FileChannel channel = FileChannel.open(file, options);
        if (isNew && posix) {
            try {
                Files.setPosixFilePermissions(file, filePermissions);
            } catch (IOException notOurs) {
                // Another user has made it in this moment, and sees to its rights. The channel must not be closed here:
                // that could drop a lock that another client of this process has on the file.
                return channel;
            }
        }
        return channel;
    }

    /** {@return what tells a file from another one that took its place; null if there is none} */
    static @Nullable Object identityOf(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException deleted) {
            return null;
        }
    }

    void makeDirectory(Path directory) throws IOException {
        try {
            Files.createDirectory(directory);
            if (posix) {
                Files.setPosixFilePermissions(directory, directoryPermissions);
            }
        } catch (FileAlreadyExistsException there) {
            if (!Files.isDirectory(directory)) {
                throw there;
            }
        }
    }

    /** Makes the names of new files survive a loss of power. */
    void force() throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
