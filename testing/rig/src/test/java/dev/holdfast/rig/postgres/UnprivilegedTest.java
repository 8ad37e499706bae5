package dev.holdfast.rig.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.rig.CannotRunException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UnprivilegedTest {
    private static final Unprivileged BROKEN = new Unprivileged(List.of("false"), null);
    private static final Unprivileged ABSENT = new Unprivileged(List.of("/no/such/command"), null);

    @TempDir
    Path directory;

    @Test
    void theFirstWayThatWorksIsTaken() throws InterruptedException {
        Unprivileged plain = new Unprivileged(List.of(), null);
        assertThat(Unprivileged.choose(List.of(ABSENT, BROKEN, plain))).isEqualTo(plain);
    }

    @Test
    void withoutAWayTheTestsAreSkipped() {
        assertThatThrownBy(() -> Unprivileged.choose(List.of(ABSENT, BROKEN)))
                .isInstanceOf(CannotRunException.class)
                .hasMessageContaining("root");
    }

    @Test
    void nobodyOwnsTheDataAndPassesThroughClosedDirectories() throws InterruptedException, IOException {
        assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "Only root can become somebody else.");
        Unprivileged nobody = Unprivileged.asNobody();
        Path closed = Files.createDirectory(
                directory.resolve("closed"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path data = Files.createDirectory(closed.resolve("data"));
        nobody.own(data);
        assertThat(Files.getAttribute(data, "unix:uid")).isEqualTo(nobody.uid());
        Process process = new ProcessBuilder(nobody.command("sh", "-c", "id -u; echo x >" + data + "/file"))
                .redirectErrorStream(true)
                .start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(nobody.uid() + "\n");
        assertThat(process.waitFor()).isZero();
        assertThat(Files.getAttribute(data.resolve("file"), "unix:uid")).isEqualTo(nobody.uid());
    }
}
