package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One member of several falls silent while a client holds much there: what it holds at the others goes on. */
@Timeout(60)
class SilentMemberRenewalTest {
    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(6));
    private static final Duration TIMEOUT = Duration.ofMillis(500);
    private static final int AT_SILENT_MEMBER = 200;
    private static final int AT_OTHERS = 10;

    private final AtomicBoolean silent = new AtomicBoolean();

    /** Those whose renewal was answered after the other member had fallen silent and its leases were over. */
    private final Set<String> renewed = ConcurrentHashMap.newKeySet();

    @Test
    void repeatedRenewalsAtASilentMemberDoNotCostLeasesElsewhere() throws InterruptedException {
        List<Lease> dead = new ArrayList<>();
        List<Lease> alive = new ArrayList<>();
        try (Holdfast locks =
                Holdfast.builder().store(Members::new).commandTimeout(TIMEOUT).build()) {
            for (int i = 0; i < AT_SILENT_MEMBER; i++) {
                dead.add(locks.lock("dead" + i, OPTIONS).acquire());
            }
            for (int i = 0; i < AT_OTHERS; i++) {
                alive.add(locks.lock("alive" + i, OPTIONS).acquire());
            }
            silent.set(true);
            await().atMost(Duration.ofSeconds(30)).until(() -> dead.stream().noneMatch(Lease::isHeld));
            renewed.clear();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> renewed.size() == AT_OTHERS || !alive.stream().allMatch(Lease::isHeld));
            assertThat(alive).allMatch(Lease::isHeld);
        }
    }

    /** Answers for a silent member only after nearly one command timeout, and then that it does not know. */
    private final class Members extends DelegatingStore {
        Members(StoreContext context) {
            super("members", context);
        }

        @Override
        public List<RenewOutcome> renew(List<Grant> grants) {
            List<Grant> answered =
                    grants.stream().filter(grant -> !isSilent(grant)).toList();
            List<RenewOutcome> outcomes = super.renew(answered);
            Map<Grant, RenewOutcome> known = new HashMap<>();
            for (int i = 0; i < answered.size(); i++) {
                known.put(answered.get(i), outcomes.get(i));
                renewed.add(answered.get(i).name());
            }
            if (answered.size() < grants.size()) {
                takeMillis(TIMEOUT.toMillis() * 9 / 10);
            }
            return grants.stream()
                    .map(grant -> known.getOrDefault(
                            grant,
                            new RenewOutcome.Unknown(new StoreUnavailableException("renew", grant.name(), null))))
                    .toList();
        }

        private boolean isSilent(Grant grant) {
            return silent.get() && grant.name().startsWith("dead");
        }
    }
}
