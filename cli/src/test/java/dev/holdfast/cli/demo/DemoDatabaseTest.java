package dev.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoDatabaseTest {
    @Test
    void closingEndsSessionsThatLingerSoThatNothingIsMadeAgainInTheDirectory() throws Exception {
        DemoDatabase database = DemoDatabase.embedded(List.of());
        Path directory = database.directory();
        try (Connection lingering = DemoDatabase.connect(database.url())) {
            assertThat(lingering.isValid(1)).isTrue();

            database.close();

            assertThat(lingering.isValid(1)).isFalse();
        }
        assertThat(directory).doesNotExist();
    }
}
