package dev.holdfast.bench.ruler;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a process that has one client of one maker's locks. It does what the lines on its standard input say
 * and ends with them; replies are the lines of standard output that begin with {@link #REPLY}.
 */
final class Runner {
    static final String REPLY = "bench: ";

    private static final Duration TIME_TO_CLOSE = Duration.ofSeconds(5);

    private final String url;
    private final Locks locks;
    private final int process;
    private final Blackboard board;
    private final List<Mutex> held = new ArrayList<>();
    private final Filling filling;
    private @Nullable Heat heat;

    private Runner(String url, Locks locks, int process, Blackboard board) {
        this.url = url;
        this.locks = locks;
        this.filling = new Filling(locks);
        this.process = process;
        this.board = board;
    }

    /** Arguments: the maker, the URL, the number of the process from 1, the file of the blackboard, milliseconds of the lease or 0. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        // Peers leave threads behind that are not daemons; they must not keep a process that has failed.
        Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {
            failure.printStackTrace(System.err);
            Runtime.getRuntime().halt(1);
        });
        // Nor must they outlive a parent that was killed while this process waits for a lock.
        ProcessHandle.current()
                .parent()
                .ifPresent(parent ->
                        parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
        Optional<Duration> lease =
                Optional.of(Duration.ofMillis(Long.parseLong(arguments[4]))).filter(time -> !time.isZero());
        Locks locks = Maker.of(arguments[0]).open(arguments[1], lease);
        Blackboard board = Blackboard.open(Path.of(arguments[3]));
        Runner runner = new Runner(arguments[1], locks, Integer.parseInt(arguments[2]), board);
        say("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            runner.obey(List.of(line.split(" ", -1)));
        }
        Thread farewell = new Thread(locks::close, "farewell");
        farewell.setDaemon(true);
        farewell.start();
        TimeUnit.NANOSECONDS.timedJoin(farewell, TIME_TO_CLOSE.toNanos());
        Runtime.getRuntime().halt(0);
    }

    private void obey(List<String> words) throws InterruptedException {
        switch (words.get(0)) {
            case "race" -> begin(race(number(words, 1), words.get(2), words.get(3)), number(words, 4));
            case "hand-over" ->
                begin(new HandOver(locks.mutex(words.get(2)), number(words, 1), board, process), number(words, 3));
            case "acquire" -> begin(new Acquiring(locks, number(words, 1), words.get(2), true), number(words, 3));
            case "acquire-at-once" ->
                begin(new Acquiring(locks, number(words, 1), words.get(2), false), number(words, 3));
            case "wait" -> begin(new Waiting(locks, number(words, 1), words.get(2)), number(words, 3));
            case "count" -> current().count();
            case "stop" -> {
                say(current().stop().line());
                heat = null;
            }
            case "compiled" ->
                say(Long.toString(ManagementFactory.getCompilationMXBean().getTotalCompilationTime()));
            case "hold" -> hold(number(words, 1), words.get(2));
            case "drop" -> drop();
            case "fill" -> {
                filling.take(number(words, 1), words.get(2));
                say("filled");
            }
            case "crowd" -> say(Crowd.asynchronous(url, number(words, 1)).line());
            case "crowd-virtual" -> say(Crowd.virtual(url, number(words, 1)).line());
            case "memory" ->
                say(new Footprint(locks, words.get(2)).of(number(words, 1)).line());
            case "cpu" -> say(Long.toString(cpuNanos()));
            case "take" -> take(locks.mutex(words.get(1)));
            default -> throw new IllegalArgumentException("unknown command " + words);
        }
    }

    private Race race(int threads, String sharing, String name) {
        String own = name + "-" + process + "-";
        return switch (sharing) {
            case "shared" -> new Race(threads, number -> locks.mutex(name), board, process);
            case "own" -> new Race(threads, number -> locks.mutex(own + number), null, process);
            case "three" -> new Race(threads, number -> locks.all(three(own + number)), null, process);
            default -> throw new IllegalArgumentException("unknown sharing " + sharing);
        };
    }

    private static List<String> three(String name) {
        return List.of(name + "-a", name + "-b", name + "-c");
    }

    /** Peers that starve some of their threads are counted anyway when the patience ends. */
    private void begin(Heat next, int patienceMillis) throws InterruptedException {
        heat = next;
        next.start();
        say(next.awaitUnderWay(Duration.ofMillis(patienceMillis)) ? "under way" : "not all under way");
    }

    /** One lock has the very name, so that others can wait for it. */
    private void hold(int count, String name) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            Mutex mutex = locks.mutex(count == 1 ? name : name + "-" + i);
            mutex.lock();
            held.add(mutex);
        }
        say("held");
    }

    private void drop() {
        held.forEach(Mutex::unlock);
        held.clear();
        say("dropped");
    }

    /** Waits as long as it takes and says when it ended. The monotonic clock is the same in all processes of a machine. */
    private static void take(Mutex mutex) throws InterruptedException {
        mutex.lock();
        say(Long.toString(System.nanoTime()));
        mutex.unlock();
    }

    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private Heat current() {
        Heat current = heat;
        if (current == null) {
            throw new IllegalStateException("nothing is under way");
        }
        return current;
    }

    private static int number(List<String> words, int position) {
        return Integer.parseInt(words.get(position));
    }

    private static void say(String reply) {
        System.out.println(REPLY + reply);
        System.out.flush();
    }
}
