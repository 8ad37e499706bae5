package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreMisconfiguredException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories that cannot be used are refused at once, with what is wrong and what to do. */
final class DirectoryRightsTest {
    private static final String NOBODY = "65534";
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups");

    @TempDir
    Path temporary;

    @Test
    void directoryThatAnotherUserMayOnlyReadIsRefusedToThatUser()
            throws IOException, InterruptedException, URISyntaxException {
        Path directory = Files.createDirectory(temporary.resolve("store"));
        openTo(directory, "rwxr-xr-x");
        try (HolderProcess nobody = asNobody()) {
            assertThat(nobody.ask("open file:" + directory))
                    .startsWith("failed " + StoreMisconfiguredException.class.getName())
                    .contains("no permission to use '" + directory)
                    .contains("choose a directory that this user may read and write");
        }
    }

    @Test
    void directoryThatHoldfastHasMadeBelongsToItsUserAlone()
            throws IOException, InterruptedException, URISyntaxException {
        Path directory = temporary.resolve("store");
        openTo(temporary, "rwxr-xr-x");
        try (HolderProcess nobody = asNobody();
                Holdfast client = Holdfast.connect("file:" + directory);
                Lease lease = client.lock("x").acquire()) {
            assertThat(nobody.ask("open file:" + directory))
                    .startsWith("failed " + StoreMisconfiguredException.class.getName())
                    .contains("no permission");
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void directoryThatEverybodyMayWriteIsSharedBetweenUsers()
            throws IOException, InterruptedException, URISyntaxException {
        Path directory = Files.createDirectory(temporary.resolve("store"));
        openTo(directory, "rwxrwxrwx");
        try (HolderProcess nobody = asNobody();
                Holdfast client = Holdfast.connect("file:" + directory)) {
            nobody.open(directory);
            long token = nobody.take("x");
            assertThat(client.lock("x").tryAcquire()).isEmpty();
            nobody.kill();
            Lease lease = client.lock("x").tryAcquire().orElseThrow();
            assertThat(lease.token()).isGreaterThan(token);
        }
    }

    @Test
    void readOnlyFileSystemIsRefused() throws IOException, InterruptedException {
        try (SmallDisk disk = SmallDisk.mount(temporary.resolve("disk"), 300)) {
            Path used = disk.path().resolve("used");
            Path unused = Files.createDirectory(disk.path().resolve("unused"));
            Holdfast.connect("file:" + used).close();
            disk.makeReadOnly();
            for (Path directory : List.of(used, unused, disk.path().resolve("missing"))) {
                assertThatThrownBy(() -> Holdfast.connect("file:" + directory))
                        .isInstanceOf(StoreMisconfiguredException.class)
                        .hasMessageContaining("read-only file system");
            }
        }
    }

    @Test
    void fileInPlaceOfTheDirectoryIsRefused() throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));
        assertThatThrownBy(() -> Holdfast.connect("file:" + file))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("is not a directory");
        assertThatThrownBy(() -> Holdfast.connect("file:" + file.resolve("below")))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("Not a directory");
    }

    @Test
    void nameThatIsTooLongIsRefused() {
        assertThatThrownBy(() -> Holdfast.connect("file:" + temporary.resolve("x".repeat(300))))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("too long");
    }

    @Test
    void linkToADirectoryIsTheDirectory() throws IOException, InterruptedException {
        Path directory = Files.createDirectory(temporary.resolve("store"));
        Path link = Files.createSymbolicLink(temporary.resolve("link"), directory);
        try (Holdfast one = Holdfast.connect("file:" + directory);
                Holdfast two = Holdfast.connect("file:" + link);
                Lease lease = one.lock("x").acquire()) {
            assertThat(two.lock("x").tryAcquire()).isEmpty();
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nfs",
                "nfs4",
                "NFS4",
                "cifs",
                "smb3",
                "smbfs",
                "9p",
                "ceph",
                "glusterfs",
                "lustre",
                "fuse.sshfs",
                "fuse.s3fs",
                "fuse.rclone",
                "virtiofs",
                "vboxsf",
                "afs",
                "davfs"
            })
    void networkFileSystemIsRefused(String type) {
        assertThatThrownBy(() -> StoreDirectory.refuseNetwork(temporary, type))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining(temporary.toString())
                .hasMessageContaining(type)
                .hasMessageContaining("choose a directory on a local disk");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "fuseblk", "f2fs", "ramfs", "apfs"})
    void localFileSystemIsNotRefused(String type) {
        assertThatCode(() -> StoreDirectory.refuseNetwork(temporary, type)).doesNotThrowAnyException();
    }

    @Test
    void urlWithAHostIsRefused() {
        assertThatThrownBy(() -> Holdfast.connect("file://host/directory"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("names another host");
    }

    private static void openTo(Path path, String rights) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(rights));
        Path parent = path.getParent();
        if (parent != null && parent.getFileName().toString().startsWith("junit")) {
            Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    /** Starts a process of another user, or reports the calling test as not possible here. */
    private static HolderProcess asNobody() throws InterruptedException, URISyntaxException {
        Path classes = Path.of(
                Holder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<String> look = new ArrayList<>(AS_NOBODY);
        look.addAll(List.of("test", "-x", classes.toString()));
        int status = Signals.run(look);
        assumeTrue(
                status == 0,
                "cannot run a process as another user that reads the tests' classes (setpriv ended with " + status
                        + "); needs root, setpriv and classes that everybody may read");
        return HolderProcess.start(AS_NOBODY, List.of());
    }
}
