package dev.holdfast.server.api;

import dev.holdfast.LockView;
import dev.holdfast.server.lease.Secret;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All locks at one moment, and how they differ from those at an earlier one. A loss is what can be seen of it from outside:
 * an eviction, or a holder that is gone whose lease was about to run out.
 *
 * @param views by name, in order
 * @param truncated whether there are more
 * @param atNanos when
 */
record Look(Map<String, LockView> views, boolean truncated, long atNanos) {
    private static final int MOST_LOSSES = 100;
    private static final Duration TOLERANCE = Duration.ofMillis(250);

    /** A lease that was lost, for those who may hear of its name. */
    record Loss(String name, Map<String, @Nullable Object> data) {}

    private Duration since(Look old) {
        return Duration.ofNanos(Math.max(0, atNanos - old.atNanos));
    }

    /** {@return the locks of which there is something new, other than that time has passed} */
    List<LockView> changedSince(Look old) {
        Duration passed = since(old);
        return views.values().stream()
                .filter(view -> {
                    LockView before = old.views.get(view.name());
                    return before == null || differs(before, view, passed);
                })
                .toList();
    }

    /** {@return the names that nobody uses any more} */
    List<String> goneSince(Look old) {
        return old.views.keySet().stream()
                .filter(name -> !views.containsKey(name))
                .toList();
    }

    private static boolean differs(LockView before, LockView now, Duration passed) {
        if (before.kind() != now.kind()
                || before.capacity() != now.capacity()
                || before.holders().size() != now.holders().size()
                || before.waiters().size() != now.waiters().size()
                || before.lastEviction().isPresent() != now.lastEviction().isPresent()) {
            return true;
        }
        for (int i = 0; i < now.holders().size(); i++) {
            LockView.Holder one = before.holders().get(i);
            LockView.Holder two = now.holders().get(i);
            Duration left = one.remaining().orElse(Duration.ZERO).minus(passed).plus(TOLERANCE);
            if (one.token() != two.token()
                    || two.remaining().orElse(Duration.ZERO).compareTo(left) > 0) {
                return true;
            }
        }
        for (int i = 0; i < now.waiters().size(); i++) {
            LockView.Waiter one = before.waiters().get(i);
            LockView.Waiter two = now.waiters().get(i);
            if (!one.clientName().equals(two.clientName())
                    || !one.label().equals(two.label())
                    || two.waitingFor().compareTo(one.waitingFor()) < 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Finds what was lost.
     *
     * @param old an earlier look
     * @param inspect looks at a name that nobody uses any more, because an eviction is still known of it
     * @return the losses; of very many only the first
     */
    List<Loss> lossesSince(Look old, Function<String, Optional<LockView>> inspect) {
        Duration passed = since(old);
        List<Loss> losses = new ArrayList<>();
        for (LockView before : old.views.values()) {
            LockView view = views.get(before.name());
            for (LockView.Holder holder : before.holders()) {
                boolean stays =
                        view != null && view.holders().stream().anyMatch(other -> other.token() == holder.token());
                if (!stays && losses.size() < MOST_LOSSES) {
                    Optional<LockView> now = view != null ? Optional.of(view) : inspect.apply(before.name());
                    loss(before.name(), holder, now, passed).ifPresent(losses::add);
                }
            }
        }
        return losses;
    }

    private static Optional<Loss> loss(String name, LockView.Holder holder, Optional<LockView> now, Duration passed) {
        Optional<LockView.Eviction> eviction =
                now.flatMap(LockView::lastEviction).filter(last -> last.ago().compareTo(passed.plus(TOLERANCE)) < 0);
        if (eviction.isPresent()) {
            return Optional.of(loss(name, holder, "evicted", eviction.get()));
        }
        boolean ranOut =
                holder.remaining().isPresent() && holder.remaining().get().compareTo(passed.plus(TOLERANCE)) < 0;
        return ranOut ? Optional.of(loss(name, holder, "expired", null)) : Optional.empty();
    }

    private static Loss loss(String name, LockView.Holder holder, String reason, LockView.@Nullable Eviction eviction) {
        Map<String, @Nullable Object> data = new LinkedHashMap<>();
        data.put("name", name);
        data.put("token", Long.toString(holder.token()));
        data.put("client", Secret.withoutTag(holder.clientName()));
        data.put("label", holder.label());
        data.put("reason", reason);
        data.put("by", eviction == null ? null : eviction.by());
        data.put("why", eviction == null ? null : eviction.reason());
        return new Loss(name, data);
    }
}
