package dev.holdfast.cli.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Looks at the directory of a file store. */
final class FileExamination implements Examination {
    private static final Set<String> REMOTE =
            Set.of("nfs", "nfs4", "cifs", "smb2", "smb3", "9p", "ceph", "glusterfs", "lustre", "afs", "fuse.sshfs");
    private static final long FEWEST_FREE_BYTES = 10_000_000;

    @Override
    public boolean knows(String scheme) {
        return scheme.equals("file");
    }

    @Override
    public void examine(Subject subject, Findings findings) {
        String path = subject.uri().path();
        Path directory = Path.of(path.startsWith("///") ? path.substring(2) : path);
        try {
            disk(Files.getFileStore(directory), findings);
            rights(Files.getPosixFilePermissions(directory), findings);
            if (directory.toRealPath().startsWith("/tmp")) {
                findings.caution(
                        "place",
                        "the directory is in /tmp, where cleaners delete files that are old or in the way",
                        "use a directory below /var/lib or your home");
            }
        } catch (IOException | UnsupportedOperationException unreadable) {
            findings.unknown("place", "the directory cannot be looked at", "look at its owner and its file system");
        }
    }

    private static void disk(FileStore disk, Findings findings) throws IOException {
        if (REMOTE.contains(disk.type())) {
            findings.danger(
                    "file-system",
                    "the directory is on a network file system (" + disk.type() + ")",
                    "use a directory on a local disk; between machines use a server");
        } else if (disk.type().equals("overlay")) {
            findings.caution(
                    "file-system",
                    "the directory belongs to a container, and nobody outside of it sees the locks",
                    "use a volume that all containers of the machine share, or a server");
        } else {
            findings.ok("file-system", "the directory is on a local file system (" + disk.type() + ")");
        }
        if (disk.getUsableSpace() < FEWEST_FREE_BYTES) {
            findings.caution("space", "the disk is nearly full", "make room: without it no lock can be taken");
        }
    }

    private static void rights(Set<PosixFilePermission> rights, Findings findings) {
        if (rights.contains(PosixFilePermission.OTHERS_WRITE)) {
            findings.danger(
                    "rights",
                    "everybody on this machine may write to the directory, so may delete locks",
                    "give it to a group: chgrp GROUP DIR && chmod 2770 DIR");
        } else {
            String group = rights.contains(PosixFilePermission.GROUP_WRITE) ? " and group" : "";
            findings.ok("rights", "only its owner" + group + " may write to the directory");
        }
    }
}
