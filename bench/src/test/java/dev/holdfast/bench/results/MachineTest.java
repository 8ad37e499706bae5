package dev.holdfast.bench.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bench.results.ResultsFile.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MachineTest {
    @TempDir
    Path directory;

    @Test
    void processorHasTheNameThatTheSystemTells() throws IOException {
        Path info = Files.writeString(
                directory.resolve("cpuinfo"),
                "processor\t: 0\nmodel\t\t: 2\nmodel name\t: A: fast one\n\nprocessor\t: 1\nmodel name\t: other\n");
        assertThat(Machine.processorName(info)).contains("A: fast one");
        assertThat(Machine.processorName(Files.writeString(info, "processor\t: 0\n")))
                .isEmpty();
        assertThat(Machine.processorName(directory.resolve("missing"))).isEmpty();
    }

    @Test
    void machineWithoutANameIsStillDescribed() {
        assertThat(new Machine(null, 2, 23.5, "Linux", "aarch64", "6.1").text())
                .isEqualTo("2 processors, 24 GiB, Linux 6.1 aarch64");
    }

    @Test
    void checkoutSaysWhetherItWasChanged() {
        assertThat(Checkout.parse("4dc2c40")).isEqualTo(new Checkout("4dc2c40", false));
        assertThat(Checkout.parse("4dc2c40-changed")).isEqualTo(new Checkout("4dc2c40", true));
        assertThat(Checkout.parse("")).isNull();
    }

    @Test
    void fileOfSomethingElseIsNamed() throws IOException {
        Path other = Files.writeString(directory.resolve("other.json"), "{\"name\": 1}");
        assertThatThrownBy(() -> ResultsFile.read(other))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("other.json");
    }
}
