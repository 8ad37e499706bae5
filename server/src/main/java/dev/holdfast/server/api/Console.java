package dev.holdfast.server.api;

import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The console's files, from the jar. Only plain file names of known kinds are looked for, in one directory. */
final class Console {
    private static final String DIRECTORY = "/dev/holdfast/server/console/";
    private static final String FIRST = "index.html";
    private static final Pattern FILE = Pattern.compile("[a-z0-9-]{1,60}\\.([a-z0-9]{2,5})");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "ico", "image/x-icon",
            "json", "application/json");

    private final Map<String, byte[]> read = new ConcurrentHashMap<>();

    /** {@return whether a path can be one of the console's} */
    static boolean isFile(List<String> path) {
        return path.isEmpty() || (path.size() == 1 && FILE.matcher(path.get(0)).matches());
    }

    /** {@code GET /v1/openapi.json}. */
    void openApi(Call call) {
        byte[] content = read.computeIfAbsent("../openapi.json", name -> load("/dev/holdfast/server/openapi.json"));
        call.answer(200, "application/json", content == null ? new byte[0] : content, Map.of(), written -> {});
    }

    void answer(Call call) {
        List<String> path = call.target().segments();
        String name = path.isEmpty() ? FIRST : path.get(0);
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        byte[] content = type == null ? null : read.computeIfAbsent(name, file -> load(DIRECTORY + file));
        if (type == null || content == null) {
            throw new Problem(Code.NOT_FOUND, "there is nothing at this path");
        }
        call.answer(200, type, content, Map.of(), written -> {});
    }

    private static byte @Nullable [] load(String path) {
        try (InputStream file = Console.class.getResourceAsStream(path)) {
            return file == null ? null : file.readAllBytes();
        } catch (IOException unreadable) {
            return null;
        }
    }
}
