package dev.holdfast.torture.peers;

import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.referee.RefereeLine;
import dev.holdfast.torture.worker.StallMeter;
import dev.holdfast.torture.worker.WorkerSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A process with one client of another library, told what to do like {@link dev.holdfast.torture.worker.Worker}. Thread-safe. */
public final class PeerWorker {
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(5);
    private static final Duration TIME_TO_COME_BACK = Duration.ofSeconds(15);

    /** What the threads do. */
    enum Phase {
        NOTHING,
        CONTROL,
        LOCKS
    }

    private final WorkerSettings settings;
    private final RefereeLine referee;
    private final Peer peer;
    private final AtomicBoolean asked = new AtomicBoolean();
    private volatile Phase phase = Phase.NOTHING;
    private volatile boolean stopping;

    private PeerWorker(WorkerSettings settings) throws InterruptedException {
        this.settings = settings;
        this.referee = RefereeLine.open(settings.process(), settings.refereePort());
        this.peer = open();
    }

    /** A worker that replaces a dead one may begin in the middle of an outage, in which some cannot be opened. */
    private Peer open() throws InterruptedException {
        long until = System.nanoTime() + TIME_TO_COME_BACK.toNanos();
        while (true) {
            try {
                return Maker.named(settings.maker()).open(settings.url(), settings.lease());
            } catch (RuntimeException outage) {
                if (System.nanoTime() > until) {
                    throw outage;
                }
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
    }

    /**
     * Runs the process.
     *
     * @param args as {@link WorkerSettings#words}
     * @throws IOException if the input cannot be read
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        PeerWorker worker = new PeerWorker(WorkerSettings.parse(args));
        worker.live();
        // Some libraries leave threads behind that keep a process alive.
        Runtime.getRuntime().halt(0);
    }

    private void live() throws IOException, InterruptedException {
        warmUp();
        StallMeter.start(settings.process(), referee::tell);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < settings.threads(); i++) {
            Thread thread = new Thread(new PeerActor(this, i), "actor-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        System.out.println("ready");
        try (BufferedReader words = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String word = words.readLine(); word != null && !word.equals("stop"); word = words.readLine()) {
                switch (word) {
                    case "control" -> phase = Phase.CONTROL;
                    case "locks" -> phase = Phase.LOCKS;
                    case "quiet" -> phase = Phase.NOTHING;
                    case "calm" -> asked.set(true);
                    default -> System.err.println("unknown word " + word);
                }
            }
        }
        stop(threads);
    }

    private void warmUp() throws InterruptedException {
        try {
            for (int i = 0; i < 20; i++) {
                Peer.Held held = peer.take(settings.prefix() + "warm-" + settings.process(), Duration.ofSeconds(1));
                if (held != null) {
                    held.release();
                }
            }
        } catch (InterruptedException stopped) {
            throw stopped;
        } catch (Exception outage) {
            System.err.println("warm-up of " + settings.process() + ": " + outage);
        }
    }

    private void stop(List<Thread> threads) throws InterruptedException {
        stopping = true;
        long until = System.nanoTime() + TIME_TO_STOP.toNanos();
        for (Thread thread : threads) {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, until - System.nanoTime()));
        }
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            TimeUnit.NANOSECONDS.timedJoin(thread, TIME_TO_COME_BACK.toNanos());
            if (thread.isAlive()) {
                referee.tell(Line.of("stuck").with("thread", thread.getName()).with("at", ""));
            }
        }
        Thread farewell = new Thread(this::close, "farewell");
        farewell.setDaemon(true);
        farewell.start();
        TimeUnit.NANOSECONDS.timedJoin(farewell, TIME_TO_COME_BACK.toNanos());
        referee.tell(Line.of("bye"));
        System.out.println("bye");
    }

    private void close() {
        try {
            peer.close();
        } catch (Exception failed) {
            System.err.println(settings.process() + " was not closed: " + failed);
        }
    }

    WorkerSettings settings() {
        return settings;
    }

    Peer peer() {
        return peer;
    }

    Phase phase() {
        return phase;
    }

    boolean stopping() {
        return stopping;
    }

    void answered() {
        if (asked.compareAndSet(true, false)) {
            System.out.println("answered");
        }
    }
}
