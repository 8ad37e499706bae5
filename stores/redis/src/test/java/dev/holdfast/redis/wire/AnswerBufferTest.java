package dev.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Answers that come in pieces of any size. */
final class AnswerBufferTest {
    private static final String ANSWERS =
            "+OK\r\n:-42\r\n$5\r\na\r\nbc\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n-OOM full\r\n*3\r\n:1\r\n*2\r\n$1\r\nx\r\n:9223372036854775807\r\n+y\r\n";

    @Test
    void answersAreTheSameInWhateverPiecesTheyCome() throws IOException {
        List<String> whole = read(ANSWERS, ANSWERS.length());

        assertThat(whole)
                .containsExactly(
                        "OK",
                        "-42",
                        "a\r\nbc",
                        "",
                        "null",
                        "null",
                        "[]",
                        "OOM full",
                        "[1, [x, 9223372036854775807], y]");
        for (int size = 1; size < ANSWERS.length(); size++) {
            assertThat(read(ANSWERS, size)).as("pieces of %s", size).isEqualTo(whole);
        }
    }

    @Test
    void longAnswersFit() throws IOException {
        String text = "x".repeat(3_000_000);

        assertThat(read("$" + text.length() + "\r\n" + text + "\r\n:7\r\n", 100_000))
                .containsExactly(text, "7");
    }

    @Test
    void whatIsNoAnswerIsRefused() {
        for (String nonsense : List.of(
                "HTTP/1.1 400\r\n",
                ":\r\n",
                ":1x\r\n",
                "$1\r\nab\r\n",
                "$-2\r\n",
                "*99999999\r\n",
                "$99999999999\r\n")) {
            assertThatThrownBy(() -> read(nonsense, nonsense.length())).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> read("+" + "x".repeat(100_000), 1_000)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read("*1\r\n".repeat(100), 4)).isInstanceOf(IOException.class);
    }

    private static List<String> read(String sent, int pieces) throws IOException {
        byte[] bytes = sent.getBytes(StandardCharsets.UTF_8);
        AnswerBuffer buffer = new AnswerBuffer();
        List<String> answers = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += pieces) {
            byte[] piece = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + pieces));
            buffer.room(piece.length).put(piece);
            buffer.added(piece.length);
            Object answer = buffer.next();
            while (answer != AnswerBuffer.INCOMPLETE) {
                answers.add(text(answer));
                answer = buffer.next();
            }
        }
        return answers;
    }

    private static String text(@Nullable Object answer) {
        if (answer instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        if (answer instanceof List<?> list) {
            return list.stream().map(AnswerBufferTest::text).toList().toString();
        }
        return answer instanceof Exception refused ? String.valueOf(refused.getMessage()) : String.valueOf(answer);
    }
}
