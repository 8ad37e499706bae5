package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Ids of keys are used again, but never by two claims for one name, and never while a late request may meet them. */
final class KeyIdsTest {
    private final KeyIds ids = new KeyIds();

    private static Claim claim(String... names) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new Claim(
                Stream.of(names)
                        .map(name -> new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1))
                        .toList(),
                new OwnerId(random.nextLong(), random.nextLong()),
                Duration.ofSeconds(10),
                new Claim.HolderInfo("client", "label"),
                true);
    }

    @Test
    void claimAfterClaimHasTheSameId() {
        Set<KeyIds.Id> seen = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            Claim claim = claim("name");
            KeyIds.Id id = ids.take(claim);
            seen.add(id);
            ids.giveBack(claim, id, true);
        }
        assertThat(seen).singleElement().satisfies(id -> assertThat(id.text()).hasSize(Layout.ID_DIGITS));
    }

    @Test
    void claimsForOneNameAtTheSameTimeHaveDifferentIds() {
        Claim first = claim("a");
        KeyIds.Id ofFirst = ids.take(first);
        KeyIds.Id ofSecond = ids.take(claim("a", "b"));
        KeyIds.Id ofThird = ids.take(claim("b"));
        assertThat(ofSecond).isNotEqualTo(ofFirst).isNotEqualTo(ofThird);
        assertThat(ids.take(claim("c", "d"))).as("where nobody else is").isEqualTo(ofFirst);
        ids.giveBack(first, ofFirst, true);
        assertThat(ids.take(claim("a"))).isEqualTo(ofFirst);
    }

    @Test
    void idThatALateRequestMayMeetIsNotUsedAgain() {
        Claim staying = claim("a");
        KeyIds.Id stays = ids.take(staying);
        Claim late = claim("a");
        KeyIds.Id met = ids.take(late);
        ids.giveBack(late, met, false);
        ids.giveBack(staying, stays, true);

        List<KeyIds.Id> next = List.of(ids.take(claim("a")), ids.take(claim("a")));
        assertThat(next).doesNotContain(met, stays).doesNotHaveDuplicates();
    }
}
