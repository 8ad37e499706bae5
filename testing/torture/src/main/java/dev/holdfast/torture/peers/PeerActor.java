package dev.holdfast.torture.peers;

import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.peers.Peer.Answer;
import dev.holdfast.torture.peers.Peer.Held;
import dev.holdfast.torture.referee.RefereeLine;
import dev.holdfast.torture.worker.WorkerSettings;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * One thread that takes locks of a library and changes two registers under each: one without asking again, one only if the
 * library, asked right before, does not say that the lock was lost.
 */
final class PeerActor implements Runnable {
    private static final int SYNC_EVERY = 40;

    private final PeerWorker worker;
    private final String id;
    private final Random random;
    private final RefereeLine referee;
    private final long leaseMillis;
    private int count;

    PeerActor(PeerWorker worker, int number) {
        WorkerSettings settings = worker.settings();
        this.worker = worker;
        this.id = settings.process() + "." + number;
        this.random = new Random(settings.seed() * 31 + id.hashCode());
        this.referee = RefereeLine.open(settings.process(), settings.refereePort());
        this.leaseMillis = settings.lease().toMillis();
    }

    @Override
    public void run() {
        try (referee) {
            while (!worker.stopping()) {
                switch (worker.phase()) {
                    case LOCKS -> step();
                    case CONTROL -> control();
                    case NOTHING -> TimeUnit.MILLISECONDS.sleep(4);
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (UncheckedIOException refereeIsGone) {
            System.err.println(id + " ends: " + refereeIsGone.getMessage());
        }
    }

    private void control() throws InterruptedException {
        Line read = referee.ask(Line.of("read").with("reg", "control"), System.nanoTime());
        TimeUnit.MICROSECONDS.sleep(500 + random.nextInt(1500));
        write("control", read, Line.of("write").with("control", true));
    }

    private void step() throws InterruptedException {
        count++;
        if (count % SYNC_EVERY == 0) {
            referee.sync();
        }
        // As for our own locks: some names are hotter than others.
        int number = Math.min(random.nextInt(6), 3);
        String name = Peers.names(worker.settings().prefix()).get(number);
        Duration wait = Duration.ofMillis(30 + random.nextLong(2 * leaseMillis));
        String op = id + "." + count;
        Line asked = Line.of("invoke").with("op", op).with("kind", "x").with("lock", name);
        asked.with("units", 1).with("cap", 1).with("way", "TRY_WAIT").with("wait", wait.toMillis());
        referee.tell(asked.with("client", worker.settings().process() + "#1"));
        try {
            Held held = worker.peer().take(name, wait);
            worker.answered();
            if (held == null) {
                referee.tell(Line.of("fail").with("op", op).with("why", "none").with("detail", ""));
                TimeUnit.MILLISECONDS.sleep(2);
            } else {
                hold(op, name, held);
            }
        } catch (InterruptedException stopped) {
            referee.tell(Line.of("fail").with("op", op).with("why", "interrupted"));
            throw stopped;
        } catch (UncheckedIOException refereeIsGone) {
            throw refereeIsGone;
        } catch (Exception failed) {
            referee.tell(Line.of("fail").with("op", op).with("why", "unknown").with("detail", String.valueOf(failed)));
            TimeUnit.MILLISECONDS.sleep(20);
        }
        TimeUnit.MILLISECONDS.sleep(random.nextInt(12));
    }

    private void hold(String op, String name, Held held) throws Exception {
        referee.tell(Line.of("ok").with("op", op).with("tokens", Long.toString(held.token())));
        long believed = 0;
        long lost = 0;
        String how = "failed";
        try {
            Line blind = referee.ask(Line.of("read").with("reg", name + "/blind"), System.nanoTime());
            Line read = referee.ask(Line.of("read").with("reg", name), System.nanoTime());
            linger();
            write(name + "/blind", blind, Line.of("write").with("op", op).with("blind", true));
            long before = System.nanoTime();
            if (held.ask() == Answer.LOST) {
                lost = before;
            } else {
                believed = before;
                write(name, read, Line.of("write").with("op", op));
            }
        } finally {
            long from = System.nanoTime();
            try {
                how = held.release() ? "released" : "lost";
            } finally {
                Line ended = Line.of("end").with("op", op).with("from", from).with("how", how);
                referee.tell(ended.with("held", believed).with("lostAt", lost));
            }
        }
    }

    private void write(String register, Line read, Line line) {
        line.with("reg", register).with("v", read.number("v") + 1).with("ver", read.number("ver"));
        referee.ask(line, System.nanoTime());
    }

    /**
     * Never for longer than a part of the lease, because some of these libraries do not renew; but often for long enough that a
     * pause of a process hits somebody who holds.
     */
    private void linger() throws InterruptedException {
        int roll = random.nextInt(100);
        TimeUnit.MILLISECONDS.sleep(
                roll < 40 ? leaseMillis / 12 + random.nextLong(leaseMillis / 6) : random.nextInt(8));
    }
}
