package dev.holdfast.server.lease;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import java.security.SecureRandom;
import java.time.Duration;

/** Makes the claims of requests, and the owners under which they stand at the store. Thread-safe. */
final class Claims {
    /** The longest first lease of a grant that was waited for, until its client is found to be still there. */
    private static final Duration LONGEST_PROVISIONAL = Duration.ofSeconds(3);

    private final Secret secret;
    private final long instance;
    private final Repetitions repetitions;
    private final SecureRandom random = new SecureRandom();

    Claims(Secret secret, long instance, Repetitions repetitions) {
        this.secret = secret;
        this.instance = instance;
        this.repetitions = repetitions;
    }

    /** {@return the claim of a request whose key the server chose: nobody else can have its owner} */
    Claim ofOneRequest(Ask ask) {
        OwnerId owner = new OwnerId(random.nextLong(), random.nextLong());
        return claim(ask, owner, ask.lease(), ask.shownAs(), !ask.maxWait().isZero());
    }

    /**
     * {@return the claim of a key, which every instance makes alike} Where the store has sessions each instance has an owner of
     * its own; a tag lets the others see whose it is.
     */
    Claim ofKey(Ask ask, String scope) {
        String shown = instance == 0 ? ask.shownAs() : Secret.tagged(ask.shownAs(), secret.tag(scope, instance));
        return claim(ask, secret.owner(instance, scope), ask.lease(), shown, false);
    }

    /** {@return a claim that stands in line for a request with a key, with a short lease at first} */
    Claim inLine(Ask ask, String scope) {
        Duration provisional = provisional(ask.lease());
        String tag = repetitions.newTag(scope, provisional);
        OwnerId owner = secret.waitingOwner(instance, scope, tag);
        return claim(ask, owner, provisional, Secret.tagged(ask.shownAs(), tag), true);
    }

    private static Duration provisional(Duration lease) {
        Duration half = lease.dividedBy(2);
        return half.compareTo(LONGEST_PROVISIONAL) < 0 ? half : LONGEST_PROVISIONAL;
    }

    private static Claim claim(Ask ask, OwnerId owner, Duration lease, String clientName, boolean queue) {
        return new Claim(ask.parts(), owner, lease, new Claim.HolderInfo(clientName, ask.label()), queue);
    }
}
