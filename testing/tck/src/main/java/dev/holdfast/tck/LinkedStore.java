package dev.holdfast.tck;

import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;

/** A store at the far end of a {@link Link}. Thread-safe as the store is. */
final class LinkedStore implements LockStore {
    private final Link link;
    private final LockStore store;
    private final Duration commandTimeout;

    LinkedStore(Link link, LockStore store, Duration commandTimeout) {
        this.link = link;
        this.store = store;
        this.commandTimeout = commandTimeout;
    }

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return call(Link.Step.ACQUIRE, namesOf(claim), () -> link.session().stamp(store.tryAcquire(claim)));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        List<String> names =
                claims.stream().flatMap(claim -> namesOf(claim).stream()).toList();
        return call(
                Link.Step.POLL,
                names,
                () -> store.poll(claims).stream().map(link.session()::stamp).toList());
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        call(Link.Step.WITHDRAW, namesOf(claim), () -> {
            store.withdraw(claim, mayStillArrive);
            return true;
        });
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        link.noteRenewals(grants);
        return inTwoParts(
                grants,
                part -> call(
                        Link.Step.RENEW,
                        namesOf(part),
                        () -> store.renew(link.session().plain(part))),
                RenewOutcome.Unknown::new);
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        return inTwoParts(
                grants,
                part -> call(
                        Link.Step.RELEASE,
                        namesOf(part),
                        () -> store.release(link.session().plain(part))),
                ReleaseOutcome.Unknown::new);
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return call(Link.Step.LOOK, List.of(name), () -> store.inspect(name));
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return call(Link.Step.LOOK, List.of(prefix), () -> store.list(prefix, limit));
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return call(Link.Step.EVICT, List.of(name), () -> store.evict(name, epoch, by, reason));
    }

    @Override
    public void ping() {
        call(Link.Step.PING, List.of("the store"), () -> {
            store.ping();
            return true;
        });
    }

    @Override
    public void close() {
        store.close();
    }

    private <R> R call(Link.Step step, List<String> names, Supplier<R> request) {
        return link.call(step, names, commandTimeout, request);
    }

    /** As a store of several servers does it: what one of them does not answer is unknown, the rest is done. */
    private <R> List<R> inTwoParts(
            List<Grant> grants, Function<List<Grant>, List<R>> request, Function<RuntimeException, R> unknown) {
        List<Grant> silent =
                grants.stream().filter(grant -> link.isSilentFor(grant.name())).toList();
        if (silent.isEmpty() || silent.size() == grants.size()) {
            return request.apply(grants);
        }
        List<Grant> heard =
                grants.stream().filter(grant -> !silent.contains(grant)).toList();
        Map<Grant, R> outcomes = new HashMap<>();
        List<R> answers = request.apply(heard);
        for (int i = 0; i < heard.size(); i++) {
            outcomes.put(heard.get(i), answers.get(i));
        }
        try {
            List<R> after = request.apply(silent);
            for (int i = 0; i < silent.size(); i++) {
                outcomes.put(silent.get(i), after.get(i));
            }
        } catch (StoreUnavailableException unanswered) {
            silent.forEach(grant -> outcomes.put(grant, unknown.apply(unanswered)));
        }
        return grants.stream().map(outcomes::get).toList();
    }

    private static List<String> namesOf(Claim claim) {
        return claim.parts().stream().map(Claim.Part::name).toList();
    }

    private static List<String> namesOf(List<Grant> grants) {
        return grants.stream().map(Grant::name).toList();
    }
}
