package dev.holdfast.torture;

import dev.holdfast.torture.fault.FaultKind;
import dev.holdfast.torture.fault.FaultKind.Loses;
import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.peers.PeerWorker;
import dev.holdfast.torture.referee.RefereeLine;
import dev.holdfast.torture.rig.Scene;
import dev.holdfast.torture.worker.Worker;
import dev.holdfast.torture.worker.WorkerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The worker processes of one run, and what can be done to them. Thread-safe. */
final class Workers implements AutoCloseable {
    private static final String CLOSED = "closed-in-callback";

    private final Options options;
    private final Scene scene;
    private final String prefix;
    private final int refereePort;
    private final RefereeLine referee;
    private final Path log;

    /** What workers have before everything else on their class path: a mutant; empty for nothing. */
    private final String before;

    /** By number; guarded by this object, like the next. */
    private final List<ChildProcess> processes = new ArrayList<>();

    private final List<Integer> lives = new ArrayList<>();

    /** What all were told last; guarded by this object. */
    private String phase = "quiet";

    Workers(
            Options options,
            Scene scene,
            String prefix,
            int refereePort,
            RefereeLine referee,
            Path log,
            String before) {
        this.options = options;
        this.scene = scene;
        this.prefix = prefix;
        this.refereePort = refereePort;
        this.referee = referee;
        this.log = log;
        this.before = before;
    }

    void start() {
        for (int i = 0; i < options.workers(); i++) {
            synchronized (this) {
                processes.add(launch(i, 0));
                lives.add(0);
            }
            if (options.isBeside()) {
                // One after another, beginning with an older one: it makes what has to be there, such as tables.
                awaitReady(get(i));
            }
        }
        if (!options.isBeside()) {
            processes.forEach(this::awaitReady);
        }
    }

    private void awaitReady(ChildProcess process) {
        if (!process.hear().equals("ready")) {
            throw new IllegalStateException("a worker does not start; see " + log);
        }
    }

    private ChildProcess launch(int number, int life) {
        WorkerSettings settings = new WorkerSettings(
                "w" + number + (life == 0 ? "" : "-" + life),
                refereePort,
                // The older edition may not know the options of the faulty networks, which have no faults then.
                options.isBeside() ? scene.directUrl() : scene.url(number),
                options.seed(),
                options.threads(),
                options.lease(),
                options.timeout(),
                prefix,
                before.isEmpty() ? options.mutant() : "",
                options.maker());
        Class<?> program = options.maker().isEmpty() ? Worker.class : PeerWorker.class;
        // The first, so that what the older edition makes in the store is what the newer one finds.
        boolean older = options.isBeside() && number % 2 == 0;
        return older
                ? ChildProcess.startOlder(program, log, settings.words(), options.beside())
                : ChildProcess.start(program, log, settings.words(), before);
    }

    synchronized void tell(String word) {
        phase = word;
        processes.forEach(process -> process.say(word));
    }

    /**
     * The control with the lock and without a guard, see {@link dev.holdfast.torture.worker.Worker}: a holder is paused until
     * another worker was granted its lock and has written.
     */
    void stage() throws InterruptedException {
        ChildProcess holder = get(0);
        ChildProcess taker = get(1);
        holder.say("stage-hold");
        if (!holder.hear().equals("staged")) {
            return;
        }
        referee.tell(Line.of("staged"));
        holder.pause();
        taker.say("stage-take");
        taker.hear();
        holder.resume();
        holder.say("stage-write");
        holder.hear();
    }

    /** What can be done to workers. A dead one is replaced by a process with another name. */
    List<FaultKind> faults() {
        Duration lease = options.lease();
        List<FaultKind> kinds = new ArrayList<>();
        for (int i = 0; i < options.workers(); i++) {
            int number = i;
            String target = "w" + i;
            Duration beyond = scene.afterlife().multipliedBy(5).dividedBy(4);
            kinds.add(new FaultKind(
                    "paused",
                    target,
                    target,
                    3,
                    beyond,
                    beyond.plus(lease),
                    Loses.NOTHING,
                    () -> get(number).pause(),
                    () -> get(number).resume()));
            kinds.add(new FaultKind(
                    "paused-shortly",
                    target,
                    target,
                    1,
                    lease.dividedBy(10),
                    lease.dividedBy(2),
                    Loses.NOTHING,
                    () -> get(number).pause(),
                    () -> get(number).resume()));
            kinds.add(new FaultKind(
                    "killed",
                    target,
                    target,
                    2,
                    lease.dividedBy(10),
                    lease,
                    Loses.NOTHING,
                    () -> get(number).kill(),
                    () -> replace(number)));
            kinds.add(new FaultKind(
                    CLOSED,
                    target,
                    target,
                    1,
                    lease,
                    lease,
                    Loses.NOTHING,
                    () -> get(number).say("recycle"),
                    FaultKind.nothing()));
        }
        if (!options.maker().isEmpty()) {
            kinds.removeIf(kind -> kind.word().equals(CLOSED));
        }
        return kinds;
    }

    private synchronized ChildProcess get(int number) {
        return processes.get(number);
    }

    private void replace(int number) {
        ChildProcess next;
        synchronized (this) {
            lives.set(number, lives.get(number) + 1);
            next = launch(number, lives.get(number));
        }
        boolean ready = next.hear().equals("ready");
        synchronized (this) {
            processes.set(number, next);
            next.say(phase);
        }
        if (!ready) {
            referee.tell(Line.of("workerFailed").with("target", "w" + number));
        }
    }

    /** The names of the processes that live now. */
    synchronized List<String> names() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < lives.size(); i++) {
            names.add("w" + i + (lives.get(i) == 0 ? "" : "-" + lives.get(i)));
        }
        return names;
    }

    /** Waits until the store has answered each of them again. */
    void awaitAnswers(Duration patience) throws InterruptedException {
        List<Thread> listeners = new ArrayList<>();
        for (ChildProcess process : processes) {
            process.say("calm");
            Thread listener = new Thread(process::hear, "calm");
            listener.setDaemon(true);
            listener.start();
            listeners.add(listener);
        }
        long until = System.nanoTime() + patience.toNanos();
        for (Thread listener : listeners) {
            TimeUnit.NANOSECONDS.timedJoin(listener, Math.max(1, until - System.nanoTime()));
        }
    }

    /** Asks all to end in the ordinary way: they release what they hold and close their clients. */
    void leave(Duration patience) throws InterruptedException {
        for (ChildProcess process : processes) {
            process.say("stop");
        }
        for (int i = 0; i < processes.size(); i++) {
            if (!processes.get(i).leave(patience)) {
                referee.tell(Line.of("stuck").with("thread", "process w" + i).with("at", "did not end in " + patience));
            }
        }
    }

    @Override
    public synchronized void close() {
        processes.forEach(ChildProcess::close);
    }
}
