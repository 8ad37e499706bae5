package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive that {@code mvn package} makes, unpacked somewhere: it needs a Java and nothing of the repository. */
@Tag("processes")
class DistributionTest {
    @TempDir
    private Path directory;

    private Sandbox sandbox;

    @BeforeEach
    void unpack() {
        sandbox = new Sandbox(directory);
        sandbox.set("HOLDFAST_DIST", "");
        sandbox.set("HOLDFAST_CLASSPATH", "");
        sandbox.set("XDG_CACHE_HOME", sandbox.path("cache").toString());
        sandbox.bash("""
                        mkdir bin dist && tar xzf "$1" -C dist --strip-components=1
                        printf '#!/bin/sh\\ntouch %q\\nexit 1\\n' "$PWD/maven-was-called" > bin/mvn && chmod +x bin/mvn
                        """, System.getProperty("holdfast.distribution")).output();
        sandbox.set("PATH", sandbox.path("bin") + ":" + System.getenv("PATH"));
    }

    @AfterEach
    void close() {
        sandbox.close();
    }

    @Test
    void runsACommandAndIsQuickFromTheSecondUseOn() {
        assertThat(sandbox.bash("dist/bin/holdfast --version").output()).startsWith("holdfast ");
        assertThat(sandbox.bash("echo data | dist/bin/holdfast run x -- cat").output())
                .isEqualTo("data\n");
        assertThat(sandbox.path("dist/classes.jsa")).exists();
        assertThat(sandbox.bash("HOLDFAST_JAVA_OPTS=-Xshare:on exec dist/bin/holdfast run x -- echo shared")
                        .output())
                .isEqualTo("shared\n");
        assertThat(sandbox.path("maven-was-called")).doesNotExist();
    }

    @Test
    void bringsTheStoresAndTheirDriversAlong() {
        assertThat(sandbox.bash("dist/bin/holdfast ls --url 'jdbc:h2:mem:x'").output())
                .isEmpty();
        for (String url : new String[] {
            "redis://127.0.0.1:1",
            "jdbc:postgresql://127.0.0.1:1/x?user=u",
            "jdbc:mysql://127.0.0.1:1/x?user=u",
            "jdbc:mariadb://127.0.0.1:1/x?user=u"
        }) {
            Launched ls = sandbox.bash("exec dist/bin/holdfast ls --url \"$1\"", url);
            assertThat(ls.exitCode()).as("%s: %s", url, ls.err()).isEqualTo(74);
            assertThat(ls.err()).startsWith("holdfast: ").hasLineCount(1);
        }
    }

    @Test
    void hasItsLicencesAndAManualPage() {
        assertThat(sandbox.path("dist/LICENSE")).isNotEmptyFile();
        assertThat(sandbox.path("dist/NOTICE")).content().contains("MariaDB Connector/J", "H2 Database Engine");
        assertThat(sandbox.path("dist/share/man/man1/holdfast.1")).isNotEmptyFile();
        assertThat(sandbox.bash("ls dist/lib | grep -i mysql").exitCode())
                .as("MySQL's driver is not ours to pass on")
                .isEqualTo(1);
    }

    @Test
    void theDebianPackageHasTheSameAndRunsFromWhereItIsUnpacked() {
        Assumptions.assumeTrue(
                sandbox.bash("type -P dpkg-deb >/dev/null").exitCode() == 0,
                "there is no dpkg-deb on this machine, so no Debian package was made");
        Launched made = sandbox.bash(
                "mkdir made && exec \"$(dirname \"$HOLDFAST\")\"/build-tools/deb \"$1\" made",
                System.getProperty("holdfast.distribution"));
        String deb = made.output().strip();
        assertThat(deb).matches(".*/made/holdfast_[0-9][^-]*_all\\.deb");
        sandbox.bash("dpkg-deb -x \"$1\" unpacked", deb).output();

        assertThat(sandbox.bash("cd unpacked && echo data | usr/bin/holdfast run x -- cat")
                        .output())
                .isEqualTo("data\n");
        for (String launcher : List.of("usr/bin/holdfast", "usr/lib/holdfast/bin/holdfast")) {
            assertThat(sandbox.bash("unpacked/" + launcher + " --version").output())
                    .isEqualTo(sandbox.bash("dist/bin/holdfast --version").output());
        }
        assertThat(sandbox.bash("diff <(cd dist/lib && ls) <(cd unpacked/usr/lib/holdfast/lib && ls)")
                        .output())
                .isEmpty();
        assertThat(sandbox.bash(
                                "gzip -dc unpacked/usr/share/man/man1/holdfast.1.gz | cmp - dist/share/man/man1/holdfast.1")
                        .output())
                .isEmpty();
        assertThat(sandbox.bash("source unpacked/usr/share/bash-completion/completions/holdfast; declare -F _holdfast")
                        .output())
                .isEqualTo("_holdfast\n");
        assertThat(sandbox.path("unpacked/usr/share/doc/holdfast/copyright"))
                .content()
                .contains("MariaDB Connector/J", "Apache License");
        assertThat(sandbox.bash("dpkg-deb -f \"$1\" Depends", deb).output())
                .contains("java17-runtime-headless", "util-linux");
        assertThat(sandbox.path("maven-was-called")).doesNotExist();
    }
}
