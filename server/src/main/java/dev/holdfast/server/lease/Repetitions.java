package dev.holdfast.server.lease;

import dev.holdfast.LockView;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Finds what an earlier request with the same key waited for and was granted, by the tag beside its holder's name. Only a
 * grant that was renewed is found: before that the instance that waited for it may still give it back. A grant that was
 * renewed was held and will be held for longer in sum than its short first lease, which stands in the tag.
 */
final class Repetitions {
    private static final int NONCE_BITS = 48;
    private static final int FACTOR_NUMERATOR = 3;
    private static final int FACTOR_DENOMINATOR = 2;
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_SEEN = 1_000;

    private final StoreLink link;
    private final Secret secret;
    private final SecureRandom random = new SecureRandom();

    /** The latest looks at names. Thousands may wait for one name, and a look tells of each of them. */
    private final Map<String, Seen> seen = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Seen> eldest) {
            return size() > MOST_SEEN;
        }
    });

    private record Seen(List<LockView.Holder> holders, long atNanos) {}

    /** A grant that is final. */
    record Found(OwnerId owner, List<Grant> grants) {}

    Repetitions(StoreLink link, Secret secret) {
        this.link = link;
        this.secret = secret;
    }

    /** {@return a new tag, which tells the lease that a grant has at first} */
    String newTag(String scope, Duration provisional) {
        long nonce = (random.nextLong() >>> (Long.SIZE - NONCE_BITS) << Short.SIZE) | provisional.toMillis();
        return secret.tag(scope, nonce);
    }

    /**
     * Asks the store.
     *
     * @param ask what is asked for
     * @param scope the key, and what has to be the same
     * @param again whether the request has looked before, so that what another one saw a moment ago will do
     * @return what an earlier request was granted
     */
    Optional<Found> find(Ask ask, String scope, boolean again) {
        List<Grant> grants = new ArrayList<>();
        String tag = null;
        for (String name : ask.names()) {
            Grant grant = null;
            for (LockView.Holder holder : holders(name, again)) {
                Optional<String> its = secret.tagOf(holder.clientName(), scope);
                if (its.isPresent() && (tag == null || tag.equals(its.get())) && isFinal(holder, its.get())) {
                    tag = its.get();
                    OwnerId owner = secret.waitingOwner(0, scope, tag);
                    grant = new Grant(name, owner, Grant.epochOf(holder.token()), ask.lease(), null, null, false);
                }
            }
            if (grant == null) {
                return Optional.empty();
            }
            grants.add(grant);
        }
        return Optional.of(new Found(grants.get(0).owner(), grants));
    }

    private List<LockView.Holder> holders(String name, boolean again) {
        long now = link.now();
        Seen latest = again ? seen.get(name) : null;
        if (latest != null && now - latest.atNanos < FRESH_NANOS) {
            return latest.holders;
        }
        List<LockView.Holder> holders =
                link.client().inspect(name).map(LockView::holders).orElse(List.of());
        seen.put(name, new Seen(holders, now));
        return holders;
    }

    /** {@return whether the store shows a holder of the scope that is none of ours, whatever became of its instance} */
    boolean isHeld(Ask ask, String scope, Predicate<String> isOurs) {
        return link.client().inspect(ask.name()).stream()
                .flatMap(view -> view.holders().stream())
                .map(LockView.Holder::clientName)
                .anyMatch(name -> secret.tagOf(name, scope).isPresent() && !isOurs.test(name));
    }

    private static boolean isFinal(LockView.Holder holder, String tag) {
        long nonce = ByteBuffer.wrap(Base64.getUrlDecoder().decode(tag)).getLong();
        long provisional = nonce & ((1L << Short.SIZE) - 1);
        long whole =
                holder.heldFor().plus(holder.remaining().orElse(Duration.ZERO)).toMillis();
        return whole > provisional * FACTOR_NUMERATOR / FACTOR_DENOMINATOR;
    }
}
