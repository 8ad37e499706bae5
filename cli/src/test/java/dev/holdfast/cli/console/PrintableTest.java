package dev.holdfast.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrintableTest {
    @Test
    void whatWouldSteerATerminalIsEscaped() {
        assertThat(Printable.of("a\u001b[2Jb\nc\u007f\u009bd\u202ee\ud800f"))
                .isEqualTo("a\\u001B[2Jb\\u000Ac\\u007F\\u009Bd\\u202Ee\\uD800f");
    }

    @Test
    void everyLanguageIsLeftAsItIs() {
        assertThat(Printable.of("Zürich/订单/заказ/🔒")).isEqualTo("Zürich/订单/заказ/🔒");
    }

    @ParameterizedTest
    @CsvSource({
        "abcdef, 6, abcdef",
        "abcdefg, 6, abc…fg",
        "orders/2024/0042, 9, orde…0042",
        "订单订单订单, 7, 订单…单",
        "ab, 1, …"
    })
    void isShortenedInTheMiddle(String text, int columns, String expected) {
        assertThat(Printable.shortened(text, columns)).isEqualTo(expected);
        assertThat(Printable.width(expected)).isLessThanOrEqualTo(columns);
    }

    @Test
    void pairsOfSurrogatesAreNeverTornApart() {
        assertThat(Printable.shortened("🔒🔒🔒🔒", 5)).isEqualTo("🔒…🔒");
    }
}
