package dev.holdfast.torture;

import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.FaultKind.Loses;
import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.peers.HttpInstance;
import dev.holdfast.torture.referee.RefereeLine;
import dev.holdfast.torture.rig.Scene;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The instances of the server between the workers and a store, each with a network of its own to the store, and what can be
 * done to them. Every worker knows all of them. Thread-safe.
 */
final class Instances implements AutoCloseable {
    static final int COUNT = 2;
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(20);

    private final Options options;
    private final Scene store;
    private final Path log;
    private final List<Integer> ports = new ArrayList<>();

    /** By number; guarded by this object. */
    private final List<ChildProcess> processes = new ArrayList<>();

    Instances(Options options, Scene store, Path log) {
        this.options = options;
        this.store = store;
        this.log = log;
        for (int i = 0; i < COUNT; i++) {
            ports.add(freePort());
            processes.add(launch(i));
        }
        for (ChildProcess process : processes) {
            if (!process.hear().equals("ready")) {
                throw new IllegalStateException("an instance does not start; see " + log);
            }
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException("there is no free port", failed);
        }
    }

    private ChildProcess launch(int number) {
        return ChildProcess.start(
                HttpInstance.class, log, HttpInstance.words(store.url(number), ports.get(number), options.timeout()));
    }

    /** What workers see: the instances, and the faults of the store, of the networks to it, and of the instances. */
    Scene scene(RefereeLine referee) {
        String urls = ports.stream().map(port -> "http://127.0.0.1:" + port).collect(Collectors.joining(","));
        List<FaultKind> faults = new ArrayList<>();
        store.faults().forEach(kind -> faults.add(renamed(kind)));
        for (int i = 0; i < COUNT; i++) {
            faults.addAll(faults(i, referee));
        }
        return new Scene(
                store.name(), Collections.nCopies(options.workers() + 1, urls), List.copyOf(faults), store.afterlife());
    }

    /** The network of an instance is not that of the worker with its number: it concerns all workers. */
    private static FaultKind renamed(FaultKind kind) {
        return new FaultKind(
                kind.word(),
                kind.target().replaceFirst("^net-w", "net-instance-"),
                kind.resource(),
                kind.weight(),
                kind.shortest(),
                kind.longest(),
                kind.loses(),
                kind.begin(),
                kind.end());
    }

    private List<FaultKind> faults(int number, RefereeLine referee) {
        Duration lease = options.lease();
        return List.of(
                fault(
                        "instance-killed",
                        number,
                        4,
                        lease.dividedBy(10),
                        lease.multipliedBy(2),
                        () -> get(number).kill(),
                        () -> replace(number, referee)),
                fault(
                        "instance-stopped",
                        number,
                        2,
                        lease.dividedBy(10),
                        lease,
                        () -> get(number).leave(TIME_TO_STOP),
                        () -> replace(number, referee)),
                fault(
                        "instance-paused",
                        number,
                        2,
                        lease.dividedBy(10),
                        lease.multipliedBy(2),
                        () -> get(number).pause(),
                        () -> get(number).resume()));
    }

    private static FaultKind fault(
            String word,
            int number,
            int weight,
            Duration shortest,
            Duration longest,
            FaultKind.Step begin,
            FaultKind.Step end) {
        String target = "instance-" + number;
        return new FaultKind(word, target, target, weight, shortest, longest, Loses.NOTHING, begin, end);
    }

    private synchronized ChildProcess get(int number) {
        return processes.get(number);
    }

    private void replace(int number, RefereeLine referee) {
        ChildProcess next = launch(number);
        if (!next.hear().equals("ready")) {
            referee.tell(Line.of("workerFailed").with("target", "instance-" + number));
        }
        synchronized (this) {
            processes.set(number, next);
        }
    }

    /** Asks all to end in the ordinary way. */
    void leave() throws InterruptedException {
        for (int i = 0; i < COUNT; i++) {
            boolean unused = get(i).leave(TIME_TO_STOP);
        }
    }

    @Override
    public synchronized void close() {
        processes.forEach(ChildProcess::close);
    }
}
