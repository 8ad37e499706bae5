package dev.holdfast.torture.worker;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.mutants.Mutant;
import dev.holdfast.torture.referee.RefereeLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A process with one client and several threads that take locks. It is told what to do by words on its input, and ends
 * when the input ends, so it never outlives the coordinator. Thread-safe.
 */
public final class Worker {
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(3);

    /** For a thread that was interrupted; long, because a busy machine is no reason to call it stuck. */
    private static final Duration TIME_TO_COME_BACK = Duration.ofSeconds(15);

    private static final int WARM_UP = 20;

    /** What the threads do. */
    enum Phase {
        NOTHING,
        CONTROL,
        LOCKS
    }

    private final WorkerSettings settings;
    private final RefereeLine referee;
    private final LockOptions options;
    private volatile Holdfast client;
    private volatile Phase phase = Phase.NOTHING;
    private volatile boolean stopping;

    /** Whether the coordinator wants to know when the store answers again. */
    private final AtomicBoolean asked = new AtomicBoolean();

    /** How many clients there were; changed by the thread that reads commands only. */
    private int clients;

    private Worker(WorkerSettings settings) {
        this.settings = settings;
        this.referee = RefereeLine.open(settings.process(), settings.refereePort());
        LockOptions plain = LockOptions.defaults().withLeaseTime(settings.lease());
        boolean sticky = Math.floorMod(settings.process().hashCode(), 2) == 1;
        this.options = sticky ? plain.withStickyFor(settings.lease().dividedBy(4)) : plain;
        this.client = connect();
    }

    /**
     * Runs the process.
     *
     * @param args as {@link WorkerSettings#words}
     * @throws IOException if the input cannot be read
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        Worker worker = new Worker(WorkerSettings.parse(args));
        worker.live();
    }

    private void live() throws IOException, InterruptedException {
        warmUp();
        StallMeter.start(settings.process(), this::tell);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < settings.threads(); i++) {
            Thread thread = new Thread(new Actor(this, i), "actor-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        Staging staging = new Staging(this);
        System.out.println("ready");
        try (BufferedReader words = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String word = words.readLine(); word != null && !word.equals("stop"); word = words.readLine()) {
                switch (word) {
                    case "control" -> phase = Phase.CONTROL;
                    case "locks" -> phase = Phase.LOCKS;
                    case "quiet" -> phase = Phase.NOTHING;
                    case "calm" -> asked.set(true);
                    case "recycle" -> new Recycling(this).run();
                    case "stage-hold" -> staging.hold();
                    case "stage-write" -> staging.write();
                    case "stage-take" -> staging.take();
                    default -> System.err.println("unknown word " + word);
                }
            }
        }
        stop(threads);
    }

    /** So that the first calls do not measure how long a JVM takes to load classes and open connections. */
    private void warmUp() throws InterruptedException {
        for (int i = 0; i < WARM_UP; i++) {
            try {
                client.lock(settings.prefix() + "warm-" + settings.process(), options)
                        .tryAcquire(settings.timeout())
                        .ifPresent(Lease::release);
            } catch (HoldfastException outage) {
                // A worker that replaces a dead one may begin in the middle of an outage.
                return;
            }
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
                tell(Line.of("stuck").with("thread", thread.getName()).with("at", at(thread)));
            }
        }
        part();
        tell(Line.of("bye"));
        System.out.println("bye");
    }

    /** Closes the client while it holds something, and looks whether that is free then. */
    private void part() throws InterruptedException {
        Holdfast last = client;
        try {
            last.lock(settings.prefix() + "parting-" + settings.process(), options)
                    .tryAcquire(settings.timeout());
        } catch (HoldfastException outage) {
            System.err.println(settings.process() + " parts without a lock: " + outage);
        }
        long before = System.nanoTime();
        last.close();
        tell(Line.of("closed").with("client", last.clientName()).with("from", before));
        replaceClient();
        new Recycling(this).look(last.clientName());
        client.close();
    }

    private static String at(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Math.min(stack.length, 6); i++) {
            text.append(stack[i]).append(' ');
        }
        return text.toString();
    }

    WorkerSettings settings() {
        return settings;
    }

    RefereeLine referee() {
        return referee;
    }

    Holdfast client() {
        return client;
    }

    void replaceClient() {
        client = connect();
    }

    LockOptions options() {
        return options;
    }

    Phase phase() {
        return phase;
    }

    boolean stopping() {
        return stopping;
    }

    /** Takes note of the outcome of a call. */
    void answered(String word) {
        if ((word.equals("ok") || word.equals("none")) && asked.compareAndSet(true, false)) {
            System.out.println("answered");
        }
    }

    /** For whoever is not an actor. */
    void tell(Line line) {
        referee.tell(line);
    }

    private Holdfast connect() {
        clients++;
        HoldfastBuilder builder = Holdfast.builder()
                .clientName(settings.process() + "#" + clients)
                .commandTimeout(settings.timeout())
                .defaults(options)
                // A worker that replaces a dead one may begin in the middle of an outage.
                .lazy(true);
        return settings.mutant().isEmpty()
                ? builder.url(settings.url()).build()
                : builder.store(Mutant.named(settings.mutant()).over(settings.url()))
                        .build();
    }
}
