package dev.holdfast.server.api;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.server.Limits;
import dev.holdfast.server.ServerLog;
import dev.holdfast.server.history.History;
import dev.holdfast.server.lease.LeaseRequests;
import dev.holdfast.server.lease.Leases;
import dev.holdfast.server.lease.Quota;
import dev.holdfast.server.lease.StoreLink;
import dev.holdfast.server.lease.StoreThreads;
import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds out what a request is and who it comes from, and has it answered. Thread-safe. */
public final class Api implements Consumer<Call> {
    private static final String VERSION = "v1";

    private final Gate gate;
    private final Metrics metrics;
    private final ServerLog log;
    private final LeaseApi leaseApi;
    private final LookApi lookApi;
    private final HistoryApi historyApi;
    private final LeaseStreams leaseStreams;
    private final LockNews lockNews;
    private final HealthApi healthApi;
    private final Console console = new Console();
    private volatile boolean stopping;

    /** What answers a request of a client. */
    private interface Answer {
        void of(Call call, Client client);
    }

    /**
     * Sets up.
     *
     * @param link the store
     * @param threads the threads that call it
     * @param leases the leases
     * @param requests the requests for leases
     * @param history what was seen of the locks
     * @param settings the rest
     * @param metrics what is counted
     */
    public Api(
            StoreLink link,
            StoreThreads threads,
            Leases leases,
            LeaseRequests requests,
            History history,
            Settings settings,
            Metrics metrics) {
        this.log = settings.log;
        this.metrics = metrics;
        this.gate = new Gate(settings.rules, settings.hosts);
        this.leaseApi = new LeaseApi(link, threads, leases, requests, settings.limits, this::defect);
        this.lookApi = new LookApi(link, threads, history, log, this::defect);
        this.historyApi = new HistoryApi(link, history);
        Quota streams = new Quota("open streams", settings.limits.streamsPerClient(), settings.limits.streams());
        this.leaseStreams = new LeaseStreams(link, threads, leases, streams, this::defect);
        this.lockNews = new LockNews(link, threads, streams, history, settings.limits.idleTime(), this::defect);
        this.healthApi = new HealthApi(link, threads);
    }

    /**
     * What the server was told.
     *
     * @param limits what clients may ask for
     * @param log where to write what happens
     * @param rules who may do what; null for everybody and everything
     * @param hosts further names that the server is known by
     */
    public record Settings(Limits limits, ServerLog log, Supplier<@Nullable AccessRules> rules, Set<String> hosts) {}

    /** Begins to look at the store. */
    public void start() {
        lockNews.start();
    }

    /**
     * What clients may do has changed: their streams end, and they have to open them again with what they may do now.
     *
     * @param clients whose rules are not what they were
     */
    public void refuse(Set<String> clients) {
        leaseStreams.refuse(clients);
        lockNews.refuse(clients);
    }

    /** From now on {@code /health} tells that the server stops; the streams are told so and end. */
    public void stop() {
        stopping = true;
        leaseStreams.stop();
        lockNews.stop();
    }

    @Override
    public void accept(Call call) {
        answering(call, this::defect, () -> {
            gate.refuseForeignPages(call);
            route(call);
        });
    }

    private void route(Call call) {
        List<String> path = call.target().segments();
        int length = path.size();
        String first = length == 0 ? "" : path.get(0);
        if (first.equals("health") && length == 1) {
            open(call, "health", () -> healthApi.health(call, stopping));
        } else if (first.equals("metrics") && length == 1) {
            on(call, "GET", "metrics", this::metrics);
        } else if (first.equals(VERSION) && length == 2) {
            routeWhole(call, path.get(1));
        } else if (first.equals(VERSION) && length >= 3 && path.get(1).equals("locks")) {
            routeLock(call, path);
        } else if (first.equals(VERSION) && length == 3 && path.get(1).equals("leases")) {
            routeLease(call, path.get(2));
        } else if (first.equals(VERSION)
                && length == 4
                && path.get(1).equals("leases")
                && path.get(3).equals("events")) {
            onStream(
                    call,
                    "lease-events",
                    (same, client) -> leaseStreams.open(same, client, leaseApi.leaseOf(client, path.get(2))));
        } else if (Console.isFile(path)) {
            open(call, "console", () -> console.answer(call));
        } else {
            throw nothingHere();
        }
    }

    private void routeWhole(Call call, String what) {
        switch (what) {
            case "locks" -> on(call, "GET", "list", lookApi::list);
            case "openapi.json" -> open(call, "openapi", () -> console.openApi(call));
            case "events" -> onStream(call, "events", lockNews::open);
            case "history" -> on(call, "GET", "history", historyApi::show);
            case "store" -> on(call, "GET", "store", lookApi::store);
            case "me" -> on(call, "GET", "me", LookApi::me);
            default -> throw nothingHere();
        }
    }

    /** A name may have slashes, encoded or not: the method and the last segment tell where it ends. */
    private void routeLock(Call call, List<String> path) {
        String last = path.get(path.size() - 1);
        if (isLook(call) || path.size() < 4 || !(last.equals("leases") || last.equals("evictions"))) {
            String name = String.join("/", path.subList(2, path.size()));
            on(call, "GET", "show", (same, client) -> lookApi.show(same, client, name));
            return;
        }
        String name = String.join("/", path.subList(2, path.size() - 1));
        if (last.equals("leases")) {
            on(call, "POST", "acquire", (same, client) -> leaseApi.acquire(same, client, name));
        } else {
            on(call, "POST", "evict", (same, client) -> lookApi.evict(same, client, name));
        }
    }

    private void routeLease(Call call, String id) {
        if (call.method().equals("DELETE")) {
            on(call, "DELETE", "release", (same, client) -> leaseApi.release(same, client, id));
        } else if (call.method().equals("PUT")) {
            on(call, "PUT", "renew", (same, client) -> leaseApi.renew(same, client, id));
        } else {
            throw wrongMethod("DELETE, PUT");
        }
    }

    private void metrics(Call call, Client client) {
        client.need(Client.Role.LOOK);
        byte[] text = metrics.text().getBytes(StandardCharsets.UTF_8);
        call.answer(200, "text/plain; version=0.0.4; charset=utf-8", text, Map.of(), written -> {});
    }

    private static boolean isLook(Call call) {
        return call.method().equals("GET") || call.method().equals("HEAD");
    }

    /** What everybody may ask for. */
    private static void open(Call call, String operation, Runnable answer) {
        if (!isLook(call)) {
            throw wrongMethod("GET");
        }
        call.operation(operation);
        answer.run();
    }

    private void on(Call call, String method, String operation, Answer answer) {
        if (!(method.equals("GET") ? isLook(call) : call.method().equals(method))) {
            throw wrongMethod(method);
        }
        call.operation(operation);
        answer.of(call, gate.clientOf(call));
    }

    /** HEAD would open a stream that nobody reads, and close it with whatever hangs on its end. */
    private void onStream(Call call, String operation, Answer answer) {
        if (!call.method().equals("GET")) {
            throw wrongMethod("GET");
        }
        on(call, "GET", operation, answer);
    }

    private static Problem wrongMethod(String allowed) {
        return new Problem(Code.METHOD, "this path knows " + allowed).with("allow", allowed);
    }

    private static Problem nothingHere() {
        return new Problem(Code.NOT_FOUND, "there is nothing at this path");
    }

    /** Runs a step of an answer; what it throws is the answer. */
    static void answering(Call call, Consumer<Throwable> defects, Runnable step) {
        try {
            step.run();
        } catch (Problem problem) {
            call.fail(problem);
        } catch (StoreUnavailableException unanswered) {
            call.fail(new Problem(Code.CANNOT_TELL, String.valueOf(unanswered.getMessage())));
        } catch (HoldfastException refused) {
            call.fail(new Problem(Code.MISCONFIGURED, String.valueOf(refused.getMessage())));
        } catch (RuntimeException unexpected) {
            defects.accept(unexpected);
            call.fail(new Problem(Code.INTERNAL, "the server could not do this; its log says why"));
        }
    }

    private void defect(Throwable unexpected) {
        StackTraceElement[] stack = unexpected.getStackTrace();
        log.write(
                "error",
                "defect",
                Map.of("what", unexpected.toString(), "where", stack.length == 0 ? "" : stack[0].toString()));
    }
}
