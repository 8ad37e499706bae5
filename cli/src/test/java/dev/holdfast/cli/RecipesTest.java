package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The page of recipes: its command lines run with the real command and stand-ins for the jobs, its files are parsed. */
@Tag("processes")
class RecipesTest {
    private static final Path PAGE = Path.of("../docs/recipes.md");

    @TempDir
    private Path directory;

    private Sandbox sandbox;

    @BeforeEach
    void prepare() throws IOException {
        sandbox = new Sandbox(directory);
        Path bin = Files.createDirectory(directory.resolve("bin"));
        program(bin.resolve("holdfast"), "exec '" + Sandbox.LAUNCHER + "' \"$@\"");
        for (String job : List.of("report", "backup", "cleanup", "logger", "scheduler", "migrate")) {
            program(
                    bin.resolve(job),
                    "echo " + job + " \"$@\" with ${HOLDFAST_TOKEN:+a} token >> " + directory.resolve("ran"));
        }
        sandbox.set("PATH", bin + ":" + System.getenv("PATH"));
    }

    private static void program(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @AfterEach
    void close() {
        sandbox.close();
    }

    @Test
    void crontabLinesRun() throws IOException {
        List<String> jobs = blocks("crontab")
                .get(0)
                .lines()
                .filter(line -> line.matches("[*0-9].*"))
                .toList();
        assertThat(jobs).hasSize(3);
        for (String job : jobs) {
            assertThat(job).as("cron makes a new line of it").doesNotContain("%");
            Matcher fields = Pattern.compile("(\\S+ +){5}(.*)").matcher(job);
            assertThat(fields.matches()).isTrue();
            run(fields.group(2));
        }
        assertThat(ran())
                .contains("report --all with a token", "backup with a token", "cleanup with a token")
                .contains("logger -t cleanup with a token");
    }

    @Test
    void unitsAreGoodAndTheirCommandsRun() throws IOException {
        List<String> units = blocks("ini");
        assertThat(units).hasSize(3);
        List<String> names = List.of("report.service", "report.timer", "scheduler.service");
        for (int i = 0; i < units.size(); i++) {
            String here = units.get(i).replace("/usr/bin/", directory.resolve("bin") + "/");
            Files.writeString(directory.resolve(names.get(i)), here);
            for (String line :
                    here.lines().filter(each -> each.startsWith("ExecStart=")).toList()) {
                run(line.substring("ExecStart=".length()));
            }
        }
        assertThat(ran()).contains("report --all with a token", "scheduler with a token");

        SystemdUnits.assumeVerifiable(sandbox, "the units of docs/recipes.md");
        for (String name : names) {
            assertThat(SystemdUnits.complaints(sandbox, name)).isEmpty();
        }
        Files.writeString(directory.resolve("bad.service"), "[Service]\nExecStart=/bin/true\nKillMod=mixed\n");
        assertThat(SystemdUnits.complaints(sandbox, "bad.service")).contains("KillMod");
    }

    @Test
    void theCronJobOfKubernetesRuns() throws IOException {
        Map<?, ?> cronJob = (Map<?, ?>) yaml(blocks("yaml").get(0));
        assertThat(cronJob.get("kind")).isEqualTo("CronJob");
        Map<?, ?> pod = map(map(map(map(map(cronJob, "spec"), "jobTemplate"), "spec"), "template"), "spec");
        assertThat(pod.get("restartPolicy")).isEqualTo("Never");
        Map<?, ?> container = (Map<?, ?>) ((List<?>) pod.get("containers")).get(0);
        List<Object> command = new ArrayList<>((List<?>) container.get("command"));
        command.addAll((List<?>) container.get("args"));
        run(quoted(command));
        assertThat(ran()).contains("report --all with a token");
    }

    @Test
    void theTaskOfAnsibleRuns() throws IOException {
        Map<?, ?> play = (Map<?, ?>) ((List<?>) yaml(blocks("yaml").get(1))).get(0);
        Map<?, ?> task = (Map<?, ?>) ((List<?>) play.get("tasks")).get(0);
        run(quoted((List<?>) map(task, "ansible.builtin.command").get("argv")));
        assertThat(map(task, "environment").get("HOLDFAST_URL").toString()).startsWith("redis://");
        assertThat(ran()).contains("migrate --latest with a token");
    }

    /** Runs a line as the page has it, except that nobody waits for clocks that differ. */
    private void run(String line) {
        assertThat(sandbox.bash("exec sh -c \"$1\"", line.replace("--at-least 50s", "--at-least 50ms"))
                        .output())
                .isEmpty();
    }

    private String ran() {
        return Sandbox.read(directory.resolve("ran"));
    }

    private static String quoted(List<?> words) {
        return words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    }

    private static Object yaml(String text) {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
    }

    private static Map<?, ?> map(Map<?, ?> parent, String key) {
        return (Map<?, ?>) parent.get(key);
    }

    private static List<String> blocks(String language) throws IOException {
        Matcher block = Pattern.compile("(?ms)^```" + language + "\n(.*?)^```$").matcher(Files.readString(PAGE));
        return block.results().map(each -> each.group(1)).toList();
    }
}
