package dev.holdfast.torture.fault;

import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.referee.RefereeLine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets a schedule happen: each fault on a thread of its own, so that they overlap. The referee is told four times of each:
 * before it begins, when it is in force, before it ends, and when it is over. What may have been broken by it is between the
 * first and the last; what certainly was, between the two in the middle.
 */
public final class Storm {
    private final RefereeLine referee;
    private final Map<String, Object> turns = new HashMap<>();
    private final AtomicInteger happened = new AtomicInteger();

    /**
     * Makes one.
     *
     * @param referee told of everything
     */
    public Storm(RefereeLine referee) {
        this.referee = referee;
    }

    /**
     * Lets everything happen and waits until it is over.
     *
     * @param schedule what
     * @return how many faults there were
     * @throws InterruptedException if interrupted
     */
    public int run(List<Schedule.Planned> schedule) throws InterruptedException {
        long begin = System.nanoTime();
        schedule.forEach(planned -> turns.computeIfAbsent(planned.kind().resource(), name -> new Object()));
        List<Thread> threads = new ArrayList<>();
        for (Schedule.Planned planned : schedule) {
            Thread thread = new Thread(() -> happen(planned, begin), "fault-" + planned.id());
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return happened.get();
    }

    private void happen(Schedule.Planned planned, long begin) {
        FaultKind kind = planned.kind();
        try {
            sleepUntil(begin + planned.at().toNanos());
            synchronized (Objects.requireNonNull(turns.get(kind.resource()))) {
                tell(planned, "begin");
                kind.begin().take();
                tell(planned, "active");
                happened.incrementAndGet();
                sleepUntil(System.nanoTime() + planned.time().toNanos());
                tell(planned, "ending");
                kind.end().take();
                tell(planned, "over");
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException failed) {
            // Such as a replica that was not promoted in time: the rig's trouble, seen as a fault that lasts for ever.
            referee.tell(Line.of("faultFailed").with("id", planned.id()).with("why", String.valueOf(failed)));
            System.err.println("fault " + planned.id() + " " + kind.word() + " " + kind.target() + ": " + failed);
        }
    }

    private void tell(Schedule.Planned planned, String step) {
        FaultKind kind = planned.kind();
        referee.tell(Line.of("fault")
                .with("id", planned.id())
                .with("step", step)
                .with("kind", kind.word())
                .with("target", kind.target())
                .with("loses", kind.loses().name()));
    }

    private static void sleepUntil(long nanos) throws InterruptedException {
        long rest = nanos - System.nanoTime();
        if (rest > 0) {
            TimeUnit.NANOSECONDS.sleep(rest);
        }
    }
}
