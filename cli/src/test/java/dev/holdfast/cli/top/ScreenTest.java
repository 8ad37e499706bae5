package dev.holdfast.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands on the screen, without a terminal. */
class ScreenTest {
    private static final long TOKEN = 243_080_830_157_062_144L;

    private final AtomicLong clock = new AtomicLong();
    private final List<String> evictions = new ArrayList<>();
    private final TopState state =
            new TopState(clock::get, (victim, reason) -> evictions.add(victim.name() + victim.tokens() + reason));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\u001b[2J\u001b]0;owned\u0007b",
                "a\r\n> root  excl",
                "\u202e\u05d0\u05d1\u05d2 12345",
                "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u0661\u0662",
                "e\u0301\u0301\u0301\u0301\u0301\u0301",
                "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67 \ud83c\udde9\ud83c\uddea",
                "\u1100\u1161\u11a8",
                "lone \ud800 surrogate",
                "\u009b31mcsi",
                "wide\u3000blank\u00a0nbsp\u2003em"
            })
    void hostileTextCannotSteerOrSpoofTheScreen(String hostile) {
        LockView view = new LockView(
                hostile,
                LockKind.EXCLUSIVE,
                1,
                List.of(new LockView.Holder(hostile, hostile, 1, TOKEN, Duration.ZERO, Optional.empty())),
                List.of(new LockView.Waiter(hostile, hostile, 1, Duration.ZERO)),
                Optional.of(new LockView.Eviction(hostile, hostile, Duration.ZERO)));
        state.see(List.of(view));
        state.fail(hostile);
        assertSafe();
        press(Key.ENTER);
        assertSafe();
        type("e");
        type(hostile);
        assertSafe();
        press(Key.ENTER);
        assertSafe();
    }

    private void assertSafe() {
        assertThat(screen(24, 80)).hasSize(24).allSatisfy(line -> {
            assertThat(line.columnLength()).isLessThanOrEqualTo(80);
            assertThat(line.toString().codePoints())
                    .allMatch(point -> (point >= ' ' && point <= '~') || point == '…' || point == '\u2423');
        });
    }

    @Test
    void wideNamesAreShownAndTheColumnsBehindThemStayInLine() {
        String wide = "\u6771\u4eac".repeat(20);
        state.see(List.of(view("plain", "anna"), view(wide, "\u6771\u4eac")));
        List<AttributedString> lines = screen(24, 80);
        assertThat(lines.get(4).toString()).contains("\u6771\u4eac", Long.toString(TOKEN));
        assertThat(columnOf(lines.get(4), Long.toString(TOKEN)))
                .isEqualTo(columnOf(lines.get(3), Long.toString(TOKEN)));
    }

    private static int columnOf(AttributedString line, String text) {
        return line.subSequence(0, line.toString().indexOf(text)).columnLength();
    }

    @Test
    void spacesInANameCannotLookLikeTheNextColumn() {
        state.see(List.of(view("x   excl  root@db", "anna")));
        assertThat(text()).contains("x \u2423\u2423excl \u2423root@db").doesNotContain("x   excl");
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 80, 60, 50, 40, 39, 10, 1})
    void everyLineFitsEveryWidthAndATokenIsWholeOrNotThere(int width) {
        state.see(List.of(view("a-rather-long-name/of-something", "somebody@somewhere.example.com/12345")));
        for (int height : new int[] {1, 6, 7, 24, 50}) {
            List<AttributedString> lines = screen(height, width);
            assertThat(lines.size()).isLessThanOrEqualTo(height);
            assertThat(lines).allSatisfy(line -> assertThat(line.columnLength()).isLessThanOrEqualTo(width));
            String all = String.join("\n", lines.stream().map(Object::toString).toList());
            assertThat(all.contains("2144") == all.contains(Long.toString(TOKEN)))
                    .isTrue();
        }
    }

    @Test
    void tenThousandLocksAreSortedFilteredAndDrawnInLessThanASecond() {
        List<LockView> many = IntStream.range(0, 10_000)
                .mapToObj(i -> view("orders/" + i, "anna@web" + i % 7))
                .toList();
        state.see(many);
        screen(24, 80);
        // The processor's time, because a busy machine lets everybody wait.
        ThreadMXBean time = ManagementFactory.getThreadMXBean();
        long began = time.getCurrentThreadCpuTime();
        state.see(many);
        type("h");
        press(Key.END);
        assertThat(text()).contains("the first 10000 locks", "anna@web6");
        assertThat(Duration.ofNanos(time.getCurrentThreadCpuTime() - began)).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void theSelectionStaysWithItsLockWhenOthersComeAndGo() {
        state.see(List.of(view("b", "x"), view("d", "x")));
        press(Key.DOWN);
        state.see(List.of(view("a", "x"), view("b", "x"), view("c", "x"), view("d", "x")));
        assertThat(text()).contains("> d");
        state.see(List.of(view("a", "x")));
        assertThat(text()).contains("> a");
        state.see(List.of());
        assertThat(text()).contains("No lock is held.");
    }

    @Test
    void anOutageIsShownWithTheAgeOfWhatIsThere() {
        state.see(List.of(view("x", "anna")));
        state.fail("the store did not answer");
        clock.addAndGet(Duration.ofSeconds(12).toNanos());
        assertThat(text()).contains("STORE: the store did not answer", "as of 12s ago", "> x");
        type("/y");
        assertThat(text()).contains("STORE: the store did not answer", "filter: y_   0 of 1");
        press(Key.ESCAPE);
        state.see(List.of(view("x", "anna")));
        assertThat(text()).doesNotContain("STORE", "ago");
    }

    @Test
    void anEvictionNeedsAReasonAndATypedYesAndMeansTheHolderThatWasShown() {
        state.see(List.of(view("x", "anna")));
        type("e");
        press(Key.ENTER);
        type(" ");
        press(Key.ENTER);
        assertThat(text()).contains("Reason:");
        type("why");
        press(Key.ENTER);
        type("y");
        press(Key.ENTER);
        assertThat(text()).contains("Nobody was evicted.");
        assertThat(evictions).isEmpty();
        type("ewhy");
        press(Key.ENTER);
        state.see(List.of(new LockView(
                "x", LockKind.EXCLUSIVE, 1, List.of(holder("bob", TOKEN + 4096)), List.of(), Optional.empty())));
        type("yes");
        press(Key.ENTER);
        assertThat(evictions).containsExactly("x[" + TOKEN + "]why");
    }

    @Test
    void sortsByEachColumnAndReverses() {
        state.see(List.of(view("a", "zoe"), view("b", "adam")));
        type("h");
        assertThat(text()).contains("HOLDER+", "> a");
        assertThat(state.rows().get(0).view().name()).isEqualTo("b");
        type("r");
        assertThat(text()).contains("HOLDER-");
        assertThat(state.rows().get(0).view().name()).isEqualTo("a");
        for (Column column : Column.values()) {
            type(String.valueOf(column.key()));
            assertThat(state.column()).isEqualTo(column);
        }
    }

    private void press(Key key) {
        state.press(new TopEvent.Pressed(key, ""));
    }

    private void type(String text) {
        text.codePoints().forEach(point -> state.press(new TopEvent.Pressed(Key.TEXT, Character.toString(point))));
    }

    private List<AttributedString> screen(int height, int width) {
        return new Screen(state, height, width, true).lines();
    }

    private String text() {
        return String.join("\n", screen(24, 80).stream().map(Object::toString).toList());
    }

    private static LockView view(String name, String client) {
        return new LockView(name, LockKind.EXCLUSIVE, 1, List.of(holder(client, TOKEN)), List.of(), Optional.empty());
    }

    private static LockView.Holder holder(String client, long token) {
        return new LockView.Holder(client, "", 1, token, Duration.ofSeconds(5), Optional.of(Duration.ofSeconds(9)));
    }
}
