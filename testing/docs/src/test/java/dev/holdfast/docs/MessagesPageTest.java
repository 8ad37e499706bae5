package dev.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The page of messages has every message of Holdfast's own exceptions, and no other. With {@code -Dholdfast.accept} it is written anew
 * from the sources, below its introduction.
 */
final class MessagesPageTest {
    private static final String PAGE = "docs/messages.md";
    private static final Map<String, String> TITLES = new TreeMap<>(Map.ofEntries(
            Map.entry("cli", "The command line"),
            Map.entry("core", "The library, memory and files"),
            Map.entry("stores/redis", "Redis and Redlock"),
            Map.entry("stores/jdbc", "Relational databases"),
            Map.entry("stores/zookeeper", "ZooKeeper"),
            Map.entry("stores/etcd", "etcd"),
            Map.entry("integrations/spring-boot-starter", "Spring Boot"),
            Map.entry("integrations/spring-boot-3", "Spring Boot 3"),
            Map.entry("integrations/micrometer", "Micrometer"),
            Map.entry("integrations/test", "The test kit"),
            Map.entry("server", "The server")));

    @Test
    void everyMessageIsOnThePage() throws IOException {
        Page page = Pages.named(PAGE);
        String expected = lists(ThrownMessages.byModule());
        String text = Files.readString(page.file());
        String introduction = text.substring(0, text.indexOf("\n## ") + 1);
        if (System.getProperty("holdfast.accept") != null) {
            Files.writeString(page.file(), introduction + expected);
            return;
        }
        assertThat(text.substring(introduction.length()))
                .as(PAGE
                        + " differs from the sources. If the messages are meant, write it anew: mvn test -pl testing/docs -am"
                        + " -Dtest=MessagesPageTest -Dsurefire.failIfNoSpecifiedTests=false -Dholdfast.accept")
                .isEqualTo(expected);
    }

    private static String lists(Map<String, Set<String>> messages) {
        List<String> lines = new ArrayList<>();
        messages.forEach((module, said) -> {
            lines.add("## " + TITLES.getOrDefault(module, module));
            lines.add("");
            said.forEach(message -> lines.add("- `" + message.strip().replace('`', '\'') + "`"));
            lines.add("");
        });
        return String.join("\n", lines);
    }

    @Test
    void messagesAreFoundInSources() {
        String source = """
                class OddException { OddException(int a) { super("there are " + a + " odd things here", null); } }
                throw new OddException("acquire", name, "the store '" + name(", (") + "' is not \\"there\\"; " + "add it now", ',');
                throw new OtherException("nobody asks for this message here");
                throw new OddException("%s is too large, at most %d will do".formatted(a, b));
                """;
        assertThat(ThrownMessages.in(source, Set.of("OddException"), true))
                .containsExactlyInAnyOrder(
                        "there are … odd things here",
                        "the store '…' is not \"there\"; add it now",
                        "… is too large, at most … will do");
    }

    @Test
    void messagesOfAnswersAreFoundWhereAMethodMakesThem() {
        String source = """
                throw new Problem(Code.FORBIDDEN, "this needs the role '" + role + "' of all");
                throw unauthorized("send the header of the token");
                private static Problem unauthorized(String what) { return new Problem(Code.UNAUTHORIZED, what); }
                throw authorized("nobody asks for this message here");
                """;
        assertThat(ThrownMessages.in(source, Set.of("Problem", "unauthorized"), false))
                .containsExactlyInAnyOrder("this needs the role '…' of all", "send the header of the token");
    }
}
