package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
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
}
