package dev.holdfast.rig.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AccessTest {
    @Test
    void namedServerIsTakenAsItIs() {
        Access access =
                Access.parse(new AnyKind(), "jdbc:any://db.test:5432/books?ssl=true&user=ann&password=a%26b&timeout=3");
        assertThat(access).isEqualTo(new Access("jdbc:any://db.test:5432/books?ssl=true&timeout=3", "ann", "a&b"));
        assertThat(access.jdbcUrlWithCredentials())
                .isEqualTo("jdbc:any://db.test:5432/books?ssl=true&timeout=3&user=ann&password=a%26b");
        assertThat(access.toString()).doesNotContain("a&b");
    }

    @Test
    void somethingElseIsRefusedWithoutShowingIt() {
        for (String wrong :
                List.of("jdbc:other://db.test/books?user=ann&password=secret", "jdbc:any://db.test/books")) {
            assertThatThrownBy(() -> Access.parse(new AnyKind(), wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("HOLDFAST_TEST_ANY must read jdbc:any://")
                    .hasMessageNotContaining("secret");
        }
    }

    /** Only its words count here. */
    private static final class AnyKind implements DatabaseKind {
        @Override
        public String name() {
            return "any";
        }

        @Override
        public String environment() {
            return "HOLDFAST_TEST_ANY";
        }

        @Override
        public String jdbcUrl(int port) {
            return "jdbc:any://127.0.0.1:" + port + "/x";
        }

        @Override
        public Path template() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<String> command(Path data, int port, List<String> options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean ready(int port) throws IOException {
            throw new UnsupportedOperationException();
        }
    }
}
