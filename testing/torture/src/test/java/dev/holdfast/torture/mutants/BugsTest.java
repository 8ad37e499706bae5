package dev.holdfast.torture.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.torture.rig.Scenes;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Seeded bugs are changes of sources that go on changing: each has to fit, or it would be hunted in vain. */
final class BugsTest {
    @Test
    void everyBugFitsTheSourcesAndHasARig() {
        Workshop workshop = Workshop.here();
        for (Bug bug : Bugs.list()) {
            assertThat(workshop.change(bug)).as(bug.word()).hasSameSizeAs(files(bug));
            assertThat(Scenes.ALL).as(bug.word()).contains(bug.rig());
        }
    }

    @Test
    void everyKindOfStoreHasBugs() {
        assertThat(Bugs.list().stream().map(Bug::rig).distinct())
                .containsExactlyInAnyOrder(
                        "file", "redis", "sentinel", "redlock", "postgres", "mariadb", "mysql", "zookeeper", "etcd");
    }

    @Test
    void aChangeThatDoesNotFitIsAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Patch.engine("Gate", "a b", "").apply("x"))
                .withMessageContaining("core/dev/holdfast/engine/Gate.java")
                .withMessageContaining("not at all");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Patch.engine("Gate", "a", "").apply("aa"))
                .withMessageContaining("several times");
    }

    private static List<String> files(Bug bug) {
        return bug.patches().stream().map(Patch::file).distinct().toList();
    }
}
