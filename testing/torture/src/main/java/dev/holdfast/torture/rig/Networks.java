package dev.holdfast.torture.rig;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.FaultKind.Loses;
import dev.holdfast.torture.fault.FaultKind.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A network between each worker and each server. */
final class Networks {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration SLOW = Duration.ofMillis(60);
    private static final int FEW = 3;

    /** By worker, then by server. */
    private final List<List<FaultProxy>> cables = new ArrayList<>();

    private final List<Integer> serverPorts;
    private final Duration longest;

    Networks(Rig rig, int workers, List<Integer> serverPorts, Duration longest) {
        this.serverPorts = List.copyOf(serverPorts);
        this.longest = longest;
        for (int i = 0; i < workers; i++) {
            cables.add(serverPorts.stream()
                    .map(port -> FaultProxy.before(rig, port))
                    .toList());
        }
    }

    /** The ports by which a worker reaches the servers. */
    List<Integer> ports(int worker) {
        return cables.get(worker).stream().map(FaultProxy::port).toList();
    }

    /** The option that leads a worker through its networks to servers that announce their own addresses. */
    String addressMap(int worker) {
        List<Integer> ports = ports(worker);
        return "addressMap="
                + IntStream.range(0, ports.size())
                        .mapToObj(i -> "127.0.0.1:" + serverPorts.get(i) + "=127.0.0.1:" + ports.get(i))
                        .collect(Collectors.joining(","));
    }

    /** What can go wrong between one worker and all servers, and everywhere. */
    List<FaultKind> faults() {
        List<FaultKind> kinds = new ArrayList<>();
        for (int i = 0; i < cables.size(); i++) {
            kinds.addAll(faults("net-w" + i, cables.get(i)));
        }
        List<FaultProxy> everything = cables.stream().flatMap(List::stream).toList();
        kinds.add(instant("reset-all", "net", everything, FaultProxy::reset));
        kinds.add(instant("abandon-all", "net", everything, FaultProxy::abandon));
        return kinds;
    }

    private List<FaultKind> faults(String target, List<FaultProxy> proxies) {
        return List.of(
                kind(
                        "silent",
                        target,
                        2,
                        proxies,
                        FaultProxy::heal,
                        proxy -> proxy.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT)),
                kind("deaf", target, 1, proxies, FaultProxy::heal, proxy -> proxy.blackHole(Direction.TO_CLIENT)),
                kind("dumb", target, 1, proxies, FaultProxy::heal, proxy -> proxy.blackHole(Direction.TO_SERVER)),
                kind("slow", target, 2, proxies, FaultProxy::heal, proxy -> proxy.delay(SLOW)),
                // What was held is lost with its connections, as after a cable that was pulled for long.
                kind(
                        "cut-off",
                        target,
                        1,
                        proxies,
                        Networks::healWithoutLeftovers,
                        proxy -> proxy.blackHole(Direction.TO_SERVER)),
                kind(
                        "replies-dropped",
                        target,
                        2,
                        proxies,
                        FaultProxy::heal,
                        proxy -> proxy.dropReplies(FEW, message -> true)),
                instant("reset", target, proxies, FaultProxy::reset),
                instant("abandon", target, proxies, FaultProxy::abandon));
    }

    private static void healWithoutLeftovers(FaultProxy proxy) {
        proxy.cut();
        proxy.heal();
    }

    private FaultKind kind(
            String word,
            String target,
            int weight,
            List<FaultProxy> proxies,
            Consumer<FaultProxy> heal,
            Consumer<FaultProxy> hurt) {
        return new FaultKind(
                word, target, target, weight, SHORT, longest, Loses.NOTHING, all(proxies, hurt), all(proxies, heal));
    }

    private static FaultKind instant(String word, String target, List<FaultProxy> proxies, Consumer<FaultProxy> hurt) {
        return new FaultKind(
                word,
                target,
                target + "-" + word,
                1,
                SHORT,
                SHORT,
                Loses.NOTHING,
                all(proxies, hurt),
                FaultKind.nothing());
    }

    private static Step all(List<FaultProxy> proxies, Consumer<FaultProxy> action) {
        return () -> proxies.forEach(action);
    }

    /** Joins addresses for a URL. */
    String addresses(int worker) {
        return join(ports(worker));
    }

    static String join(List<Integer> ports) {
        return IntStream.range(0, ports.size())
                .mapToObj(i -> "127.0.0.1:" + ports.get(i))
                .collect(Collectors.joining(","));
    }
}
