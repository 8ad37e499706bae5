package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher in a working copy of its own. In place of Maven, a script notes each call, reads standard input as a build
 * must not, and puts the built command line where Maven would.
 */
@Tag("processes")
class LauncherTest {
    private static final int FIRST_USERS = 6;

    @TempDir
    private Path directory;

    private Sandbox sandbox;

    @BeforeEach
    void open() throws IOException {
        sandbox = new Sandbox(directory);
        sandbox.set("BUILT", System.getProperty("holdfast.dist"));
        sandbox.set("HOLDFAST_DIST", "");
        sandbox.set("PATH", sandbox.path("bin") + ":" + System.getenv("PATH"));
        sandbox.bash("""
                        mkdir -p bin copy/{core,server,cli}/src/main && touch copy/{,core/,server/,cli/}pom.xml copy/core/src/main/A.java
                        cp "$HOLDFAST" copy/holdfast
                        """).output();
        maven("mkdir -p cli/target && cp -rL \"$BUILT\" cli/target/new && mv cli/target/new cli/target/dist");
    }

    @AfterEach
    void close() {
        sandbox.close();
    }

    @Test
    void manyFirstUsesBuildOnceAndSayItOnce() throws IOException {
        List<Launched> uses = Stream.generate(() -> sandbox.bash("copy/holdfast --version"))
                .limit(FIRST_USERS)
                .toList();

        assertThat(uses).allSatisfy(use -> {
            assertThat(use.exitCode()).isZero();
            assertThat(use.out()).startsWith("holdfast ").hasLineCount(1);
        });
        assertThat(Files.readAllLines(sandbox.path("calls"))).hasSize(1);
        assertThat(uses.stream().map(Launched::err).filter(said -> !said.isEmpty()))
                .containsExactly("holdfast: building, once ...\n");
    }

    @Test
    void theFirstBuildShowsItsPartsAndWhatItLoads() throws IOException {
        String says = """
                echo '[INFO] Building Holdfast Core 0.1.0-SNAPSHOT                     [1/2]'
                echo '[INFO] Downloading from central: https://repo.example/maven2/org/a/a-1.jar'
                echo '[INFO] Downloaded from central: https://repo.example/maven2/org/a/a-1.jar (1.5 MB at 3.1 MB/s)'
                echo '[INFO] Downloaded from central: https://repo.example/maven2/org/b/b-1.pom (900 B at 3 kB/s)'
                echo '[INFO] Building Holdfast CLI 0.1.0-SNAPSHOT                      [2/2]'
                echo '[INFO] Downloading from central: https://repo.example/maven2/org/c/c-2.jar'
                """;
        maven(says + "echo '[ERROR] no network here'; echo 'end of the log'; exit 1");
        Launched failed = sandbox.bash("copy/holdfast --version");
        assertThat(failed.exitCode()).isEqualTo(70);
        assertThat(failed.err()).isEqualTo("""
                holdfast: building, once ...
                holdfast: 1 of 2: Holdfast Core
                holdfast: 2 of 2: Holdfast CLI
                holdfast: loaded 2 files (2 MB) for it from Maven's repositories
                [ERROR] no network here
                holdfast: could not be built, see %s
                """.formatted(sandbox.path("copy/cli/target/launcher.log")));

        maven(says + "exec sleep 1000");
        try (Prompt prompt = sandbox.prompt()) {
            prompt.type("TERM=xterm copy/holdfast --version").expect("loading c-2.jar");
            prompt.press("\u0003").expect("\r\u001b[K").expect(Prompt.PROMPT);
            prompt.type("echo \"co\"de $?").expect("code 130");
        }
        assertThat(Sandbox.read(sandbox.path("screen"))).doesNotContain("could not be built", "[INFO]");

        maven(says + "mkdir -p cli/target && cp -rL \"$BUILT\" cli/target/new && mv cli/target/new cli/target/dist");
        try (Prompt prompt = sandbox.prompt()) {
            prompt.type("TERM=xterm copy/holdfast --version")
                    .expect("\r\u001b[Kholdfast: 1 of 2: Holdfast Core, loading a-1.jar")
                    .expect("\r\u001b[Kholdfast: 2 of 2: Holdfast CLI, loaded 2 files (2 MB), loading c-2.jar")
                    .expect("\r\u001b[Kholdfast: loaded 2 files (2 MB)")
                    .expect("holdfast 0")
                    .expect(Prompt.PROMPT);
        }
    }

    @Test
    void tortureIsTheTesterOfTheWorkingCopy() {
        Launched without = sandbox.bash("copy/holdfast torture --seed 7");
        assertThat(without.exitCode()).isEqualTo(70);
        assertThat(without.err()).contains("'torture' needs a working copy");

        sandbox.bash("""
                        mkdir -p copy/testing/torture
                        printf '#!/bin/sh\necho "given: $*"; exit 4\n' >copy/testing/torture/run
                        chmod +x copy/testing/torture/run
                        """).output();
        Launched with = sandbox.bash("copy/holdfast torture --seed 7");
        assertThat(with.exitCode()).isEqualTo(4);
        assertThat(with.out()).isEqualTo("given: --seed 7\n");
    }

    @Test
    void aChangedSourceIsBuiltAgainAndNothingElseIs() throws IOException {
        sandbox.set("MAVEN_ARGS_EXTRA", "-o  -Dx=y");
        sandbox.bash("copy/holdfast --version; copy/holdfast --version").exitCode();
        assertThat(Files.readAllLines(sandbox.path("calls")))
                .singleElement()
                .asString()
                .contains(" -o -Dx=y ");

        sandbox.bash("touch -d '1 hour' copy/core/src/main/A.java; copy/holdfast --version")
                .exitCode();
        assertThat(Files.readAllLines(sandbox.path("calls"))).hasSize(2);
    }

    @Test
    void aBuildThatFailsShowsTheEndOfItsLogAndIsNotRepeatedByThoseWhoWaited() throws IOException {
        maven("until [ -e %s ]; do sleep 0.05; done; echo something is wrong here; exit 1"
                .formatted(sandbox.path("go")));
        Launched builder = sandbox.bash("exec copy/holdfast run x -- touch never");
        sandbox.line("calls");
        Launched waiting = sandbox.bash("exec copy/holdfast run x -- touch never");
        Sandbox.await().until(() -> waiting.isWaitingFor("flock"));
        Files.createFile(sandbox.path("go"));

        assertThat(List.of(builder.exitCode(), waiting.exitCode())).containsExactly(70, 70);
        assertThat(builder.err()).contains("something is wrong here", "holdfast: could not be built, see ");
        assertThat(waiting.err())
                .startsWith("holdfast: could not be built, see ")
                .hasLineCount(1);
        assertThat(Files.readAllLines(sandbox.path("calls"))).hasSize(1);
        assertThat(sandbox.path("copy/cli/target/dist")).doesNotExist();
        assertThat(sandbox.path("never")).doesNotExist();

        sandbox.bash("copy/holdfast --version").exitCode();
        assertThat(Files.readAllLines(sandbox.path("calls")))
                .as("a later use tries again")
                .hasSize(2);
    }

    @Test
    void worksThroughLinksFromAnywhereAndLeavesStandardInputToTheCommand() {
        Launched run = sandbox.bash("""
                mkdir -p elsewhere/deep && ln -s ../copy/holdfast elsewhere/link && ln -s ../link elsewhere/deep/hf
                cd elsewhere/deep && echo data | ./hf run x -- cat && cd / && echo more | "$OLDPWD/hf" run x -- cat
                """);

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo("data\nmore\n");
        assertThat(run.err()).isEqualTo("holdfast: building, once ...\n");
    }

    @Test
    void theRigIsBuiltOnceAndOnlyForDemonstrationsThatNeedIt() throws IOException {
        maven("""
                mkdir -p cli/target
                [ -e cli/target/dist ] || { cp -rL "$BUILT" cli/target/new && mv cli/target/new cli/target/dist; }
                for word; do
                    case $word in -Dmdep.outputFile=*) echo /nowhere.jar > "${word#*=}" ;; esac
                done""");
        sandbox.bash("mkdir -p copy/testing/rig/src/main && touch copy/testing/rig/pom.xml")
                .output();
        sandbox.bash("copy/holdfast demo naive --help && copy/holdfast demo").exitCode();
        assertThat(Files.readAllLines(sandbox.path("calls"))).hasSize(1);

        Launched naive = sandbox.bash("copy/holdfast demo naive; copy/holdfast demo naive");
        assertThat(naive.exitCode()).isEqualTo(70);
        assertThat(naive.err())
                .contains("holdfast: building the test rig, once", "holdfast: the rig has ended too early");
        assertThat(Files.readAllLines(sandbox.path("calls")))
                .hasSize(2)
                .last()
                .asString()
                .contains(" -pl testing/rig ");
    }

    @Test
    void missingOrOldJavaIsSaid() throws IOException {
        sandbox.set("HOLDFAST_DIST", System.getProperty("holdfast.dist"));
        sandbox.set("JAVA_HOME", directory.toString());
        Launched missing = sandbox.bash("copy/holdfast ls");
        assertThat(missing.exitCode()).isEqualTo(70);
        assertThat(missing.err()).startsWith("holdfast: needs a Java 17 or later, but there is none in JAVA_HOME");

        program("java", "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2");
        Launched old = sandbox.bash("copy/holdfast ls");
        assertThat(old.exitCode()).isEqualTo(70);
        assertThat(old.err())
                .startsWith("holdfast: needs a Java 17 or later, but ")
                .contains("11.0.2")
                .hasLineCount(1);
    }

    private void maven(String body) throws IOException {
        program("mvn", "echo \"$*\" >> " + sandbox.path("calls") + "\ncat > /dev/null\n" + body);
    }

    private void program(String name, String body) throws IOException {
        Files.createDirectories(sandbox.path("bin"));
        Path file = Files.writeString(sandbox.path("bin/" + name), "#!/bin/sh\n" + body + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
