package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.server.Wire.Reply;
import dev.holdfast.server.wire.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The document and the running server say the same. */
@SuppressWarnings("unchecked") // JSON
class OpenApiTest {
    private static final Servers SERVERS = Servers.inMemory();
    private static final Set<String> STREAMS = Set.of("/v1/events", "/v1/leases/{leaseId}/events");
    private static final String ACQUIRE = "post /v1/locks/{name}/leases";
    private static final Set<String> OF_LEASES =
            Set.of("put /v1/leases/{leaseId}", "delete /v1/leases/{leaseId}", "get /v1/leases/{leaseId}/events");
    private static final NewToken OWNER = NewToken.make("owner", "look,lock,evict", "*");

    @RegisterExtension
    private static final Rig RIG = new Rig();

    private static Wire wire;
    private static Map<String, Object> document;

    @BeforeAll
    static void start() throws IOException {
        wire = SERVERS.wire();
        try (InputStream file = OpenApiTest.class.getResourceAsStream("/dev/holdfast/server/openapi.json")) {
            document = JsonReader.readObject(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @AfterAll
    static void stop() {
        SERVERS.close();
    }

    private static Map<String, Object> at(Map<String, Object> from, String... path) {
        Map<String, Object> found = from;
        for (String member : path) {
            assertThat(found).as(String.join(" ", path)).containsKey(member);
            found = (Map<String, Object>) found.get(member);
        }
        return found;
    }

    /** What each operation answers to a good request and to bad ones. */
    @Test
    void everyAnswerIsAsTheDocumentSays() {
        Reply lease = check("post", "/v1/locks/{name}/leases", wire.acquire("a", "{}"));
        check("post", "/v1/locks/{name}/leases", wire.acquire("a", "{}"));
        check("post", "/v1/locks/{name}/leases", wire.acquire("a", "{"));
        check("post", "/v1/locks/{name}/leases", wire.acquire("a", "{\"kind\":\"read\"}"));
        check("post", "/v1/locks/{name}/leases", wire.acquire("a", "{\"label\":\"" + "x".repeat(20_000) + "\"}"));
        check("post", "/v1/locks/{name}/leases", wire.acquire("p", "{\"kind\":\"permit\",\"capacity\":2}"));
        check("put", "/v1/leases/{leaseId}", wire.renew(lease.text("leaseId")));
        check("put", "/v1/leases/{leaseId}", wire.renew("nonsense"));
        check("get", "/v1/locks", wire.get("/v1/locks?limit=1"));
        check("get", "/v1/locks", wire.get("/v1/locks?limit=0"));
        check("get", "/v1/locks/{name}", wire.get("/v1/locks/a"));
        check("post", "/v1/locks/{name}/evictions", wire.post("/v1/locks/a/evictions", "{}"));
        check("post", "/v1/locks/{name}/evictions", wire.post("/v1/locks/a/evictions", "{\"reason\":\"x\"}"));
        check("get", "/v1/locks/{name}", wire.get("/v1/locks/a"));
        check("put", "/v1/leases/{leaseId}", wire.renew(lease.text("leaseId")));
        check("delete", "/v1/leases/{leaseId}", wire.release(lease.text("leaseId")));
        check("get", "/v1/leases/{leaseId}/events", wire.get("/v1/leases/" + lease.text("leaseId") + "/events"));
        check("get", "/v1/events", wire.get("/v1/events?x=y"));
        check("get", "/v1/history", wire.get("/v1/history?name=a"));
        check("get", "/v1/history", wire.get("/v1/history"));
        check("get", "/v1/store", wire.get("/v1/store"));
        check("get", "/v1/me", wire.get("/v1/me"));
        check("get", "/health", wire.get("/health"));
        check("get", "/metrics", wire.get("/metrics"));
        check("get", "/v1/openapi.json", wire.get("/v1/openapi.json"));
        Reply other = wire.acquire("b", "{}");
        check("delete", "/v1/leases/{leaseId}", wire.release(other.text("leaseId")));
    }

    @Test
    void withoutCredentialsEveryOperationIsRefusedThatNeedsSome(@TempDir Path directory) throws IOException {
        try (Servers servers = Servers.inMemory()) {
            Path access = Files.writeString(directory.resolve("clients"), OWNER.line());
            Wire guarded = new Wire(
                    servers.start(options -> options.withAccess(access)).uri());
            assertRefused(guarded, 401, "x", operationsWithCredentials(), "Authorization", "Bearer wrong");
        }
    }

    @Test
    void everyOperationButOneNeedsARoleOrAPrefixOrItsOwnLease(@TempDir Path directory) throws IOException {
        NewToken other = NewToken.make("other", "lock", "others/");
        try (Servers servers = Servers.inMemory()) {
            Path access = Files.write(directory.resolve("clients"), List.of(OWNER.line(), other.line()));
            Wire guarded = new Wire(
                    servers.start(options -> options.withAccess(access)).uri());
            Reply lease = guarded.acquire("a", "{}", "Authorization", "Bearer " + OWNER.token());
            Set<String> operations = operationsWithCredentials();
            operations.remove("get /v1/me");
            assertRefused(guarded, 403, lease.text("leaseId"), operations, "Authorization", "Bearer " + other.token());
        }
    }

    @Test
    void aLeaseInTheSessionOfAnotherInstanceIsElsewhere(@TempDir Path directory) {
        try (Servers servers = new Servers("file:" + directory.resolve("locks"))) {
            Reply lease = servers.wire().acquireAs("key", "a");
            Set<String> operations = new TreeSet<>(OF_LEASES);
            operations.add(ACQUIRE);
            assertRefused(servers.wire(), 421, lease.text("leaseId"), operations, "Idempotency-Key", "key");
        }
    }

    @Test
    void aClientMayWaitAndOpenStreamsSoOftenAndNotMore() throws IOException {
        try (Servers servers = Servers.inMemory()) {
            HoldfastServer server = servers.start(options ->
                    options.withLimits(Limits.usual().withWaitersPerClient(1).withStreams(1, 10, 1 << 20)));
            Wire limited = new Wire(server.uri());
            Reply lease = limited.acquire("a", "{}");
            CompletableFuture<Reply> waiting = limited.acquireLater("a", "{\"wait\":\"50s\"}");
            await().until(() ->
                    !List.of().equals(limited.get("/v1/locks/a").json().get("waiters")));
            try (Events one = new Events(server.address(), "/v1/events")) {
                one.await("snapshot", 1);
                assertRefused(
                        limited,
                        429,
                        lease.text("leaseId"),
                        Set.of(ACQUIRE, "get /v1/events", "get /v1/leases/{leaseId}/events"));
            }
            waiting.cancel(true);
        }
    }

    @Test
    void aSilentStoreAndAServerAtItsLimitAreUnavailable() throws InterruptedException {
        RedisNode redis = RedisNode.start(RIG);
        try (Servers servers = new Servers(redis.url())) {
            Wire silent = new Wire(servers.start(options -> options.withCommandTimeout(Duration.ofMillis(500)))
                    .uri());
            Reply lease = silent.acquire("a", "{}");
            redis.server().kill();
            await().until(() -> silent.get("/health").status() == 503);

            Set<String> operations = new TreeSet<>(OF_LEASES);
            operations.addAll(Set.of(
                    ACQUIRE,
                    "get /v1/locks",
                    "get /v1/locks/{name}",
                    "post /v1/locks/{name}/evictions",
                    "get /health"));
            operations.forEach(each -> assertRefused(silent, each, 503, lease.text("leaseId")));
            operations.add("get /v1/events");
            assertThat(operationsThatAnswer(503)).isEqualTo(operations);
        }
        try (Servers servers = Servers.inMemory()) {
            Wire full = new Wire(
                    servers.start(options -> options.withLimits(Limits.usual().withTotals(0, 0, 100)))
                            .uri());
            assertRefused(full, "get /v1/events", 503, "x");
            assertThat(full.acquire("a", "{}").status()).isEqualTo(201);
            assertRefused(full, ACQUIRE, 503, "x");
        }
    }

    /** These operations and no others refuse with this status, in the document and on the wire. */
    private static void assertRefused(
            Wire wire, int status, String leaseId, Set<String> operations, String... headers) {
        assertThat(operationsThatAnswer(status)).as("with %d", status).isEqualTo(operations);
        operations.forEach(operation -> assertRefused(wire, operation, status, leaseId, headers));
    }

    private static void assertRefused(Wire wire, String operation, int status, String leaseId, String... headers) {
        String[] words = operation.split(" ", -1);
        String path = words[1].replace("{name}", "a").replace("{leaseId}", leaseId);
        String body = switch (operation) {
            case ACQUIRE -> "{\"wait\":\"100ms\"}";
            case "post /v1/locks/{name}/evictions" -> "{\"reason\":\"x\"}";
            case "put /v1/leases/{leaseId}" -> "{}";
            default -> "";
        };
        Reply reply = wire.send(words[0].toUpperCase(Locale.ROOT), path, body, headers);
        assertThat(reply.status()).as(operation + " " + reply).isEqualTo(status);
        check(words[0], words[1], reply);
    }

    private static Set<String> operationsThatAnswer(int status) {
        return operations(operation -> at(operation, "responses").containsKey(Integer.toString(status)));
    }

    private static Set<String> operationsWithCredentials() {
        return operations(operation -> !List.of().equals(operation.get("security")));
    }

    private static Set<String> operations(Predicate<Map<String, Object>> wanted) {
        Set<String> found = new TreeSet<>();
        at(document, "paths")
                .forEach((path, methods) -> ((Map<String, Object>) methods).forEach((method, operation) -> {
                    if (!method.equals("parameters") && wanted.test((Map<String, Object>) operation)) {
                        found.add(method + " " + path);
                    }
                }));
        return found;
    }

    @Test
    void theServerKnowsEveryPathAndNoOtherMethod() {
        at(document, "paths").forEach((path, methods) -> {
            String real = path.replace("{name}", "x").replace("{leaseId}", "x");
            Set<String> known = new TreeSet<>(((Map<String, Object>) methods).keySet());
            known.remove("parameters");
            for (String method : List.of("get", "post", "put", "delete", "patch")) {
                // A name may have slashes: GET of what looks like a path below a lock shows the lock of that name.
                boolean isName = path.startsWith("/v1/locks/{name}/");
                if (!(method.equals("get") && (isName || STREAMS.contains(path)))) {
                    Reply reply = wire.send(method.toUpperCase(Locale.ROOT), real, "");
                    assertThat(reply.status() != 405)
                            .as(method + " " + path + " " + reply)
                            .isEqualTo(known.contains(method));
                }
            }
        });
    }

    private static Reply check(String method, String path, Reply reply) {
        String where = method + " " + path + " " + reply.status();
        Map<String, Object> answers = at(document, "paths", path, method, "responses");
        assertThat(answers).as(where).containsKey(Integer.toString(reply.status()));
        Map<String, Object> answer = (Map<String, Object>) answers.get(Integer.toString(reply.status()));
        String type = reply.http().headers().firstValue("Content-Type").orElse("");
        if (answer.containsKey("content")) {
            Map<String, Object> content = at(answer, "content");
            assertThat(content.keySet()).as(where).allMatch(type::startsWith);
            Map<String, Object> media =
                    (Map<String, Object>) content.values().iterator().next();
            if (type.contains("json") && !path.endsWith("openapi.json")) {
                conforms(
                        where,
                        at(media, "schema"),
                        JsonReader.readObject(reply.http().body()));
            }
        } else {
            assertThat(reply.http().body()).as(where).isEmpty();
        }
        return reply;
    }

    private static void conforms(String where, Map<String, Object> schema, Object value) {
        if (schema.containsKey("$ref")) {
            String reference = (String) schema.get("$ref");
            conforms(
                    where,
                    at(document, "components", "schemas", reference.substring(reference.lastIndexOf('/') + 1)),
                    value);
            return;
        }
        if (schema.containsKey("oneOf")) {
            List<Map<String, Object>> choices = (List<Map<String, Object>>) schema.get("oneOf");
            conforms(where, value == null ? choices.get(1) : choices.get(0), value);
            return;
        }
        Object type = schema.get("type");
        List<Object> types = type instanceof List<?> several ? (List<Object>) several : List.of(type);
        assertThat(types).as(where + ": " + value).contains(typeOf(value));
        if (schema.containsKey("enum")) {
            assertThat((List<Object>) schema.get("enum")).as(where).contains(value);
        }
        if (schema.containsKey("pattern")) {
            assertThat((String) value).as(where).matches(Pattern.compile((String) schema.get("pattern")));
        }
        if (value instanceof List<?> elements) {
            elements.forEach(element -> conforms(where + "[]", at(schema, "items"), element));
        }
        if (value instanceof Map<?, ?> members && schema.containsKey("properties")) {
            Map<String, Object> known = at(schema, "properties");
            assertThat(known.keySet()).as(where).containsAll((Set<String>) members.keySet());
            assertThat((Set<Object>) members.keySet()).as(where).containsAll((List<Object>)
                    schema.getOrDefault("required", List.of()));
            members.forEach((name, member) -> conforms(where + " " + name, at(known, (String) name), member));
        }
    }

    private static String typeOf(Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof String) {
            return "string";
        }
        if (value instanceof Boolean) {
            return "boolean";
        }
        return value instanceof Long ? "integer" : value instanceof List ? "array" : "object";
    }
}
