package dev.holdfast.simulation;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.engine.StoreCalls;
import dev.holdfast.spi.LockStore;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The network between one client and the server. Every message has a fate of its own: it is delayed a little, delayed a
 * lot (so that others overtake it), or lost; pushes may come twice. A call whose answer has not come within the command
 * timeout fails at the client, while its request may still arrive at the server.
 */
final class Link {
    private static final long LOST = -1;
    private static final RemoteStore UNREACHABLE = new RemoteStore(new DeadWire());

    private final World world;
    private final Server server;
    private final Process client;
    private final Profile profile;
    private final SplittableRandom random;
    private boolean calm;
    private long cutUntil;
    private boolean cutHoldsBack;

    Link(World world, Server server, Process client, Profile profile, SplittableRandom random) {
        this.world = world;
        this.server = server;
        this.client = client;
        this.profile = profile;
        this.random = random;
    }

    /** From now on every message arrives soon. */
    void heal() {
        calm = true;
        cutUntil = 0;
    }

    /** Cuts the client off for a while; what is sent meanwhile is lost, or held back until the end. */
    void cut(long nanos, boolean holdBack) {
        cutUntil = world.now() + nanos;
        cutHoldsBack = holdBack;
    }

    /** Makes a call in the background. */
    <R> void call(Function<LockStore, R> call, StoreCalls.Reply<R> reply) {
        Call<R> made = new Call<>(call, reply, client.clock().nanos(), world.now(), server.connectionEra());
        long there = fate(profile.requestLoss);
        if (there == LOST) {
            failLater(made, false);
        } else if (there > profile.commandTimeoutNanos) {
            world.at(made.sentAt + profile.commandTimeoutNanos, () -> giveUp(made, made.sentAt + there));
        } else {
            world.at(world.now() + there, () -> arrive(made));
        }
    }

    private record Call<R>(
            Function<LockStore, R> call, StoreCalls.Reply<R> reply, long sentNanos, long sentAt, int era) {}

    private <R> void arrive(Call<R> made) {
        if (server.isDown() || made.era != server.connectionEra()) {
            failSoon(made, false);
            return;
        }
        ServerView view = new ServerView(world, server, client, made.sentAt);
        R result = null;
        RuntimeException failure = null;
        try {
            result = made.call.apply(view);
        } catch (StoreUnavailableException refused) {
            failure = refused;
        }
        long back = fate(profile.replyLoss);
        if (back == LOST || world.now() + back > made.sentAt + profile.commandTimeoutNanos) {
            failLater(made, true);
            return;
        }
        long serverNanos = server.nanos();
        R answer = result;
        RuntimeException fault = failure;
        world.at(world.now() + back, client, () -> {
            if (made.era != server.connectionEra()) {
                failSoon(made, true);
            } else if (!client.isDeaf()) {
                client.heard(view.facts(), made.sentNanos, serverNanos);
                made.reply.on(made.sentNanos, answer, fault);
            }
        });
    }

    /** The request will arrive when the client has given it up: then each step of the call fails, and happens later. */
    private void giveUp(Call<?> made, long arrivesAt) {
        if (client.isRunning()) {
            client.run(() -> fail(made, new RemoteStore(new LateWire(made, arrivesAt))));
        } else {
            world.at(arrivesAt, () -> arriveTooLate(made, made.call));
            failLater(made, true);
        }
    }

    private void arriveTooLate(Call<?> made, Function<LockStore, ?> call) {
        if (!server.isDown() && made.era == server.connectionEra()) {
            world.log("a late request arrives");
            try {
                Object unused = call.apply(new ServerView(world, server, client, made.sentAt));
            } catch (StoreUnavailableException tooLate) {
                world.log("the rest of it is not asked any more");
            }
        }
    }

    /** Carries nothing. */
    private static final class DeadWire implements RemoteStore.Wire {
        @Override
        public <R> R carry(String operation, Function<LockStore, R> step) {
            throw new StoreUnavailableException(operation, "?", null);
        }
    }

    /** Carries requests that arrive after the client has given them up. */
    private final class LateWire implements RemoteStore.Wire {
        private final Call<?> made;
        private final long arrivesAt;

        LateWire(Call<?> made, long arrivesAt) {
            this.made = made;
            this.arrivesAt = arrivesAt;
        }

        @Override
        public <R> R carry(String operation, Function<LockStore, R> step) {
            world.at(arrivesAt, () -> arriveTooLate(made, step));
            throw new StoreUnavailableException(operation, "?", null);
        }
    }

    /** The answer does not come in time. */
    private void failLater(Call<?> made, boolean arrived) {
        world.at(made.sentAt + profile.commandTimeoutNanos, client, () -> fail(made, arrived ? null : UNREACHABLE));
    }

    /** The connection broke. */
    private void failSoon(Call<?> made, boolean arrived) {
        world.at(world.now() + profile.fastDelay(random), client, () -> fail(made, arrived ? null : UNREACHABLE));
    }

    /** Lets a call fail at the client; the client's side of it runs against a store, unless it has run already. */
    private <R> void fail(Call<R> made, @Nullable RemoteStore store) {
        if (client.isDeaf()) {
            return;
        }
        if (world.logs()) {
            world.log(client + ": a call of " + Words.millis(world.now() - made.sentAt) + " ago failed");
        }
        R result = null;
        RuntimeException failure = null;
        if (store == null) {
            failure = new StoreUnavailableException("call", "?", null);
        } else {
            try {
                result = made.call.apply(store);
            } catch (StoreUnavailableException unreachable) {
                failure = unreachable;
            }
        }
        made.reply.on(made.sentNanos, result, failure);
    }

    /** Makes a call on the caller's thread: at once, or not at all, or with its answer lost. */
    <R> R callNow(String operation, Function<LockStore, R> call) {
        boolean lost = server.isDown() || isCut() || loses(profile.requestLoss);
        if (lost) {
            throw new StoreUnavailableException(operation, "?", null);
        }
        ServerView view = new ServerView(world, server, client, world.now());
        R result = call.apply(view);
        if (loses(profile.replyLoss)) {
            throw new StoreUnavailableException(operation, "?", null);
        }
        client.heard(view.facts(), client.clock().nanos(), server.nanos());
        return result;
    }

    /** Sends a message from the server. */
    void push(String what, Runnable delivery) {
        if (profile.storeKind != Profile.StoreKind.PUSHING) {
            return;
        }
        int era = server.connectionEra();
        int copies = !calm && random.nextDouble() < profile.pushTwice ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            long delay = fate(profile.pushLoss);
            if (world.logs()) {
                world.log("server pushes " + what + " to " + client + (delay == LOST ? ", lost" : ""));
            }
            if (delay != LOST) {
                world.at(world.now() + delay, client, () -> {
                    if (era == server.connectionEra() && !client.isDeaf()) {
                        delivery.run();
                    }
                });
            }
        }
    }

    private boolean isCut() {
        return world.now() < cutUntil;
    }

    private boolean loses(double probability) {
        return !calm && random.nextDouble() < probability;
    }

    /** How long a message takes, or {@link #LOST}. */
    private long fate(double loss) {
        long fast = profile.fastDelay(random);
        if (calm) {
            return fast;
        }
        if ((isCut() && !cutHoldsBack) || loses(loss)) {
            return LOST;
        }
        long held = isCut() ? cutUntil - world.now() : loses(profile.slow) ? profile.slowDelay(random) : 0;
        return fast + Math.min(held, profile.stormNanos - world.now());
    }
}
