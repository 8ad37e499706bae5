package dev.holdfast.cli.doctor;

import dev.holdfast.cli.store.StoreChoice;
import dev.holdfast.spi.StoreUri;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Looks at the directory of a file store. */
final class FileExamination implements Examination {
    private static final Set<String> REMOTE =
            Set.of("nfs", "nfs4", "cifs", "smb2", "smb3", "9p", "ceph", "glusterfs", "lustre", "afs", "fuse.sshfs");

    @Override
    public boolean knows(String url) {
        return url.startsWith("file:");
    }

    @Override
    public List<Finding> examine(StoreChoice choice) {
        String path = StoreUri.parse(choice.url(), Map.of(), null).path();
        Path directory = Path.of(path.startsWith("///") ? path.substring(2) : path);
        List<Finding> findings = new ArrayList<>();
        try {
            String type = Files.getFileStore(directory).type();
            findings.add(
                    REMOTE.contains(type)
                            ? Finding.danger(
                                    "the directory is on a network file system (" + type + ")",
                                    "use a directory on a local disk; between machines use a server")
                            : Finding.ok("the directory is on a local file system (" + type + ")"));
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(directory);
            findings.add(
                    rights.contains(PosixFilePermission.OTHERS_WRITE)
                            ? Finding.danger(
                                    "everybody on this machine may write to the directory, so may delete locks",
                                    "give it to a group: chgrp GROUP DIR && chmod 2770 DIR")
                            : Finding.ok("only its owner"
                                    + (rights.contains(PosixFilePermission.GROUP_WRITE) ? " and group" : "")
                                    + " may write to the directory"));
        } catch (IOException | UnsupportedOperationException unreadable) {
            findings.add(Finding.unknown("the directory's file system and rights cannot be read", ""));
        }
        return findings;
    }
}
