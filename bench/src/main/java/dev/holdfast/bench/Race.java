package dev.holdfast.bench;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Lets threads take and release a lock for a while.
 *
 * @param threads how many
 * @param time for how long they are counted
 */
record Race(int threads, Duration time) {

    /**
     * Runs one contestant. Counting begins when every thread has had the lock once: before that, those who came first
     * would be counted while they have the lock to themselves.
     *
     * @return how many times a second the lock was taken and released
     */
    double run(Contestant contestant) throws InterruptedException {
        Course course = new Course(contestant, threads);
        Thread[] runners = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            runners[i] = new Thread(course);
            runners[i].start();
        }
        course.underWay.await();
        course.counting = true;
        long begin = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
        course.counting = false;
        long took = System.nanoTime() - begin;
        course.over = true;
        for (Thread runner : runners) {
            runner.join();
        }
        course.checkExclusion();
        return course.counted.sum() * 1e9 / took;
    }

    /** What every runner does. */
    private static final class Course implements Runnable {
        private final Contestant contestant;

        /** Looking at the flags for every uncontended pair would be part of what is measured. */
        private final int pairsPerLook;

        private final CountDownLatch underWay;
        private final LongAdder counted = new LongAdder();
        private final LongAdder all = new LongAdder();
        private volatile boolean counting;
        private volatile boolean over;

        /** Changed under the contestant's lock only: a lost update shows that it does not exclude. */
        private long inside;

        Course(Contestant contestant, int threads) {
            this.contestant = contestant;
            this.pairsPerLook = threads == 1 ? 64 : 1;
            this.underWay = new CountDownLatch(threads);
        }

        @Override
        public void run() {
            try {
                Runnable work = () -> inside++;
                contestant.locked(work);
                underWay.countDown();
                long pairs = 0;
                long own = 1;
                while (!over) {
                    for (int i = 0; i < pairsPerLook; i++) {
                        contestant.locked(work);
                    }
                    own += pairsPerLook;
                    pairs += counting ? pairsPerLook : 0;
                }
                counted.add(pairs);
                all.add(own);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }

        void checkExclusion() {
            if (inside != all.sum()) {
                throw new IllegalStateException(
                        "the lock did not exclude: " + inside + " increments seen of " + all.sum());
            }
        }
    }
}
