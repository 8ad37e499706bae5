package dev.holdfast.cli.demo;

import java.sql.SQLException;
import java.time.Duration;

/** The demonstration of a holder that is stopped beyond its lease. */
final class PausedHolder {
    private static final String LEASE = "2s";
    private static final String LONG_LEASE = "1m";
    private static final int FIRST = 50;
    private static final int SECOND = 30;
    private static final int MOST_STOPS = 50;

    private final Narration narration;

    PausedHolder(Narration narration) {
        this.narration = narration;
    }

    /** {@return whether everything went as it had to} */
    boolean play() throws InterruptedException {
        try (DemoDatabase database = DemoDatabase.embedded(Account.TABLES);
                Player a = Player.start("A", LockUser.class);
                Player b = Player.start("B", LockUser.class)) {
            database.execute(Account.CREATION);
            for (Player each : new Player[] {a, b}) {
                each.tell("locks " + database.lockUrl());
                each.tell("account " + database.url());
            }
            for (Player each : new Player[] {a, b}) {
                each.expect("there");
                each.expect("there");
            }
            System.out.println("Two processes, A and B, withdraw " + FIRST + " and " + SECOND + " from an account with "
                    + Account.BALANCE + ",");
            System.out.println("one at a time, under a lock. A's lease is 2 seconds.");
            play(database, a, b, "plain");
            play(database, a, b, "guarded");
            return narration.asExpected();
        } catch (SQLException failure) {
            throw new DemoException("the database failed (SQL state " + failure.getSQLState() + ")", failure);
        }
    }

    private void play(DemoDatabase database, Player a, Player b, String manner)
            throws SQLException, InterruptedException {
        boolean guarded = manner.equals("guarded");
        database.execute(Account.CLEAR, Account.FILL);
        narration.chapter(guarded ? "2. With a guard: the token is checked where the data is" : "1. Without a guard");

        long first = Long.parseLong(a.ask("acquire " + LEASE, "token"));
        narration.step("A", "gets the lock, token " + first);
        narration.step("A", "reads the balance: " + a.ask("read " + manner, "read"));
        String late;
        try (Pause pause = stop(database, a)) {
            narration.event("A is stopped in the middle of its work (kill -STOP " + a.pid() + ").");
            // It will read this when it goes on: the next thing that it does is to write what it has computed.
            a.tell("withdraw " + FIRST + " " + manner);

            // B gives it back; a machine that is in no hurry must not take it away before.
            long second = Long.parseLong(b.ask("acquire " + LONG_LEASE, "token"));
            narration.step(
                    "B",
                    "waits until A's lease has ended, then gets the lock, token " + second
                            + (second > first ? " (larger)" : ""));
            String read = b.ask("read " + manner, "read");
            String wrote = b.ask("withdraw " + SECOND + " " + manner, "wrote");
            b.ask("release", "released");
            narration.step(
                    "B", "reads " + read + ", withdraws " + SECOND + ", writes " + wrote + ", releases the lock");
            narration.event("A goes on (kill -CONT " + a.pid() + ") and notices nothing yet.");
        }
        late = a.hear(Duration.ofMinutes(1)).orElseThrow(() -> new DemoException("A does not wake up"));
        tell(database.number(Account.LOOK), late, guarded);
        learn(a);
    }

    /**
     * Stops a process while no transaction of its client is under way: the embedded database keeps what a stopped process
     * has locked, where a server would take it away after some seconds. A stop that came at a bad moment is so short that
     * the lease outlives it.
     */
    private static Pause stop(DemoDatabase database, Player player) throws SQLException {
        for (int attempt = 1; attempt <= MOST_STOPS; attempt++) {
            Pause pause = Pause.of(player.pid());
            if (database.isUnlocked(Account.TABLES)) {
                return pause;
            }
            pause.close();
        }
        throw new DemoException(
                "process " + player.pid() + " was in the middle of a transaction each time it was stopped");
    }

    private void tell(long balance, String late, boolean guarded) {
        if (guarded) {
            narration.step("A", "tries to write " + (Account.BALANCE - FIRST) + " with its old token: " + late);
            narration.safe(
                    late.startsWith("refused StaleTokenException") && balance == Account.BALANCE - SECOND,
                    "The stale write was refused. The balance is " + balance + ", as B left it; A can begin again.");
        } else {
            narration.step("A", "withdraws " + FIRST + " from the " + Account.BALANCE + " that it has read: " + late);
            narration.damage(
                    balance == Account.BALANCE - FIRST,
                    "The balance is " + balance + ", but should be " + (Account.BALANCE - FIRST - SECOND) + ": what B"
                            + " withdrew is back in the account.");
        }
    }

    private void learn(Player a) throws InterruptedException {
        String reason = a.ask("await-loss", "lost");
        String held = a.ask("look", "held");
        narration.safe(
                held.startsWith("false"),
                "A knows that it lost: onLost(" + reason + "); isHeld() is "
                        + held.replace(" ", ", ensureHeld() throws ") + ".");
        a.ask("release", "released");
    }
}
