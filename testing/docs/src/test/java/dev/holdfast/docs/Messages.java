package dev.holdfast.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the code can say: the texts of all sources, with joined strings put together. */
final class Messages {
    /** Stands in a page for whatever the code fills in. */
    private static final String GAP = "…";

    private final String texts;

    Messages() throws IOException {
        StringBuilder all = new StringBuilder();
        for (String module : List.of("core", "stores", "cli", "server", "integrations", "examples")) {
            for (Path file : Pages.files(module, Messages::isSource)) {
                all.append(
                        Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "").replace("\\\"", "\""));
            }
        }
        this.texts = all.toString();
    }

    private static boolean isSource(Path file) {
        String path = file.toString();
        return path.contains("/src/main/") && path.matches(".*(\\.java|/bash/\\w+)");
    }

    /** {@return the parts of a message that no source has; the parts are what stands between gaps} */
    List<String> unknownParts(String message) {
        List<String> unknown = new ArrayList<>();
        for (String part : message.split(GAP, -1)) {
            if (!part.isBlank() && !texts.contains(part)) {
                unknown.add(part);
            }
        }
        return unknown;
    }
}
