package dev.holdfast.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TableTest {
    private static final Terminal PIPE = Terminal.of(null, Map.of("TERM", "xterm"));
    private static final String LONG =
            "a-rather-long-lock-name/with/many/parts/that/would/not/fit/a/line/of/eighty/columns/42";

    @Test
    void columnsAreAligned() {
        Table table = new Table(Set.of("NAME"), "NAME", "TOKEN");
        table.add("a", "1");
        table.add("orders", "22");

        assertThat(table.lines(PIPE)).containsExactly("NAME    TOKEN", "a       1", "orders  22");
    }

    @Test
    void aRowFitsTheTerminalAndKeepsItsToken() {
        Table table = new Table(Set.of("NAME", "HOLDER"), "NAME", "HOLDER", "TOKEN", "HELD", "WAITING");
        table.add(LONG, LONG, "241896033312768000", "23h59m", "100");

        assertThat(table.lines(Terminal.of("80", Map.of()))).allSatisfy(line -> {
            assertThat(Printable.width(line)).isLessThanOrEqualTo(80);
        });
        assertThat(table.lines(Terminal.of("80", Map.of())).get(1)).contains("241896033312768000", "columns/42  ");
    }

    @Test
    void nothingIsShortenedOutsideATerminal() {
        Table table = new Table(Set.of("NAME"), "NAME", "TOKEN");
        table.add(LONG, "1");

        assertThat(table.lines(PIPE).get(1)).isEqualTo(LONG + "  1");
    }

    @Test
    void colourIsForTerminalsThatWantIt() {
        assertThat(Terminal.of("80", Map.of("TERM", "xterm")).bold("x")).isEqualTo("\u001b[1mx\u001b[m");
        assertThat(Terminal.of("80", Map.of("TERM", "xterm", "NO_COLOR", "1")).bold("x"))
                .isEqualTo("x");
        assertThat(Terminal.of("80", Map.of("TERM", "xterm", "NO_COLOR", "")).colour())
                .isTrue();
        assertThat(Terminal.of("80", Map.of("TERM", "dumb")).bold("x")).isEqualTo("x");
        assertThat(PIPE.bold("x")).isEqualTo("x");
    }

    @Test
    void aTerminalWithoutASizeHasEightyColumns() {
        assertThat(Terminal.of("0", Map.of()).columns()).isEqualTo(80);
        assertThat(Terminal.of("", Map.of()).columns()).isEqualTo(80);
        assertThat(PIPE.isTerminal()).isFalse();
    }
}
