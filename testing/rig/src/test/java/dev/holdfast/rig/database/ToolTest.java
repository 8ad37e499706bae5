package dev.holdfast.rig.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.rig.RigException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ToolTest {
    @Test
    void aMissingLibrarySkipsAndIsNamed() {
        String complaint = "mysqld: error while loading shared libraries: libaio.so.1: cannot open shared object file";
        assertThatThrownBy(() -> Tool.run(List.of("sh", "-c", "echo '" + complaint + "' >&2; exit 127")))
                .isInstanceOf(CannotRunException.class)
                .hasMessageContaining("no libaio.so.1,");
    }

    @Test
    void anyOtherFailureFailsWithWhatTheToolSaid() throws InterruptedException {
        assertThatThrownBy(() -> Tool.run(List.of("sh", "-c", "cat; exit 3"), "spoken"))
                .isInstanceOf(RigException.class)
                .hasMessageContaining("3")
                .hasMessageContaining("spoken");
        assertThatCode(() -> Tool.run(List.of("true"))).doesNotThrowAnyException();
        assertThat(Tool.works(List.of("false"))).isFalse();
        assertThat(Tool.works(List.of("/no/such/tool"))).isFalse();
    }
}
