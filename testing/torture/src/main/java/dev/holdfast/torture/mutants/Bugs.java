package dev.holdfast.torture.mutants;

import static dev.holdfast.torture.mutants.Patch.engine;
import static dev.holdfast.torture.mutants.Patch.etcd;
import static dev.holdfast.torture.mutants.Patch.file;
import static dev.holdfast.torture.mutants.Patch.jdbc;
import static dev.holdfast.torture.mutants.Patch.redlock;
import static dev.holdfast.torture.mutants.Patch.script;
import static dev.holdfast.torture.mutants.Patch.zookeeper;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** All seeded bugs: those in front of a store, and those in the sources of the engine and of each store. */
public final class Bugs {
    private static final List<Bug> ALL = all();

    private Bugs() {}

    /** {@return all of them} */
    public static List<Bug> list() {
        return ALL;
    }

    /**
     * Finds one.
     *
     * @param word its name on the command line
     * @return the bug
     */
    public static Bug named(String word) {
        return ALL.stream()
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no mutant " + word + "; there are "
                        + ALL.stream().map(Bug::word).toList()));
    }

    private static List<Bug> all() {
        List<Bug> all = new ArrayList<>();
        Arrays.stream(Mutant.values())
                .map(each -> new Bug(each.word(), "redis", each.breaks(), each.showsInCalm(), List.of()))
                .forEach(all::add);
        addEngine(all);
        addFile(all);
        addRedis(all);
        addDatabases(all);
        addZooKeeper(all);
        addEtcd(all);
        return List.copyOf(all);
    }

    private static void addEngine(List<Bug> all) {
        all.add(Bug.of(
                "engine-cached-is-held",
                "redis",
                "P10 P1",
                engine(
                        "Hold",
                        "return state == State.HELD && now < grant.validUntilNanos && now < endsByNanos;",
                        "return state == State.HELD;")));
        all.add(Bug.of(
                "engine-loss-never-told",
                "redis",
                "P10",
                engine(
                        "HeldGrant",
                        "private void tellLoss(LossReason reason, AfterUnlock after) {",
                        "private void tellLoss(LossReason reason, AfterUnlock after) {"
                                + " if (reason == LossReason.EXPIRED) { return; }")));
        all.add(Bug.of(
                "engine-token-reused-on-hand-off",
                "redis",
                "P3 P6",
                engine("HeldGrant", "int nextSequence() {", "void rewind() { sequence--; }\n    int nextSequence() {"),
                engine(
                        "ExclusiveGate",
                        "lend(free, next, now, Source.HAND_OFF, after);",
                        "free.rewind(); lend(free, next, now, Source.HAND_OFF, after);")));
        all.add(Bug.of(
                "engine-orphan-after-cancelled-wait",
                "redis",
                "P12 P14 P18",
                engine(
                        "Contender",
                        "void end(AfterUnlock after) {",
                        "void forget() { state = State.OVER; }\n    void end(AfterUnlock after) {"),
                engine("Gate", "current.drop(after);", "current.forget();")));
        all.add(Bug.of(
                        "engine-contention-told-as-outage",
                        "redis",
                        "P16",
                        engine(
                                "Gate",
                                "stay(waiter, asking);",
                                "settle(waiter, Refusal.noAnswer(waiter.terms), after);"))
                .showingInCalm());
        all.add(Bug.of(
                "engine-release-dropped-at-close",
                "redis",
                "P18",
                engine(
                        "HeldGrant",
                        "gate.engine.cleanup.release(this, after);\n        gate.resume(after);",
                        "if (reason != LossReason.CLIENT_CLOSED) { gate.engine.cleanup.release(this, after); }"
                                + " gate.resume(after);")));
    }

    private static void addFile(List<Bug> all) {
        all.add(Bug.of(
                "file-living-client-taken-for-dead",
                "file",
                "P1 P8 P15",
                file(
                        "SharedTable",
                        "if (!client.equals(session) && liveness.isDead(client)) {",
                        "if (!client.equals(session)) {")));
        all.add(Bug.of(
                "file-dead-client-never-buried",
                "file",
                "P11 P12 P14",
                file(
                        "SharedTable",
                        "if (!client.equals(session) && liveness.isDead(client)) {",
                        "if (client.isEmpty()) {")));
    }

    private static void addRedis(List<Bug> all) {
        all.add(Bug.of(
                "redis-readers-end-with-the-first",
                "redis",
                "P1 P15",
                script(
                        "prologue",
                        "    if expiry <= now then\n      call('HDEL'",
                        "    if true then\n      call('HDEL'")));
        all.add(Bug.of(
                "redis-epoch-from-the-clock-alone",
                "redis",
                "P3",
                script("prologue", "  if epoch <= name.last then", "  if epoch < 0 then")));
        all.add(Bug.of(
                "sentinel-generation-not-in-tokens",
                "sentinel",
                "P3 P4 P5",
                script(
                        "prologue",
                        "now + lease + 1\n  if epoch",
                        "now + lease + 1\n  epoch = epoch - 2 * step\n  if epoch")));
        all.add(Bug.of(
                "redlock-two-of-five-are-enough",
                "redlock",
                "P1 P4 P5",
                redlock("Nodes", "return all.size() / 2 + 1;", "return 2;")));
        all.add(Bug.of(
                "redlock-held-node-grants",
                "redlock",
                "P1 P4 P5",
                script(
                        "redlock-acquire",
                        "if expiry > 0 and (full or held_as ~= 'r' or kind ~= 'r') then",
                        "if expiry > 0 and now % 50 ~= 0 and (full or held_as ~= 'r' or kind ~= 'r') then")));
    }

    private static void addDatabases(List<Bug> all) {
        all.add(Bug.of(
                "postgres-held-row-taken-over",
                "postgres",
                "P1 P4 P8",
                jdbc(
                        "LeaseSql",
                        "AND crowded = 0 AND expires <= ${now}\"\"\".formatted",
                        "AND crowded = 0\"\"\".formatted")));
        all.add(Bug.of("postgres-epoch-kept-on-take-over", "postgres", "P3", epochKeptOnTakeOver()));
        all.add(Bug.of(
                "mariadb-epoch-kept-on-take-over",
                "mariadb",
                "P3",
                epochKeptOnTakeOver(),
                jdbc("LeaseSql", "GREATEST(epoch + 1, VALUES(epoch)), epoch)", "epoch, epoch)")));
        all.add(Bug.of(
                "mysql-units-of-holders-not-counted",
                "mysql",
                "P1 P15",
                jdbc(
                        "Line",
                        "boolean ahead = entry.state == Entry.State.HOLDING\n                    ||",
                        "boolean ahead =")));
    }

    private static Patch epochKeptOnTakeOver() {
        return jdbc(
                "LeaseSql",
                "String epoch = \"GREATEST(epoch + 1, ${start})\";",
                "String epoch = \"GREATEST(epoch, 0 * ${start})\";");
    }

    private static void addZooKeeper(List<Bug> all) {
        all.add(Bug.of(
                "zookeeper-second-in-line-holds",
                "zookeeper",
                "P1 P15",
                zookeeper(
                        "Line",
                        "long taken = mine.units();\n        for (Ticket other : ahead) {",
                        "if (ahead.size() == 1) {\n            return false;\n        }\n"
                                + "        long taken = mine.units();\n        for (Ticket other : ahead) {")));
        all.add(Bug.of(
                "zookeeper-session-trusted-for-long",
                "zookeeper",
                "P1 P10",
                zookeeper(
                        "Place",
                        "Duration validFor = trust.compareTo(claim.lease()) < 0 ? trust : claim.lease();",
                        "Duration validFor = claim.lease().multipliedBy(10).plus(trust);"),
                zookeeper(
                        "Renewal",
                        "new RenewOutcome.Renewed(trust.compareTo(grant.lease()) < 0 ? trust : grant.lease(), wanted)",
                        "new RenewOutcome.Renewed(grant.lease().multipliedBy(10).plus(trust), wanted)")));
        all.add(Bug.of(
                "zookeeper-epochs-rounded",
                "zookeeper",
                "P3",
                zookeeper("Place", "        epoch = zxid;", "        epoch = zxid / 32;")));
        all.add(Bug.of(
                "zookeeper-withdraw-leaves-its-node",
                "zookeeper",
                "P12 P14",
                zookeeper(
                        "FairStore",
                        "        if (place == null && !mayStillArrive) {",
                        "        if (!mayStillArrive) {")));
    }

    private static void addEtcd(List<Bug> all) {
        all.add(Bug.of(
                "etcd-second-in-line-holds",
                "etcd",
                "P1 P15",
                etcd(
                        "Line",
                        "long taken = units;\n        for (Ticket other : ahead) {",
                        "if (ahead.size() == 1) {\n            return false;\n        }\n"
                                + "        long taken = units;\n        for (Ticket other : ahead) {")));
        all.add(Bug.of(
                "etcd-session-trusted-for-long",
                "etcd",
                "P1 P10",
                etcd(
                        "Renewal",
                        "session.validFor(call.startNanos(), grant.lease())",
                        "grant.lease().multipliedBy(10)")));
        all.add(Bug.of(
                "etcd-withdraw-leaves-its-key",
                "etcd",
                "P12 P14",
                etcd(
                        "EtcdStore",
                        "if (!mayStillArrive && places.get(claim.owner()) == null) {",
                        "if (!mayStillArrive) {")));
    }
}
