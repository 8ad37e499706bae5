package dev.holdfast.cli.top;

import dev.holdfast.LockView;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * One lock in the list. The first holder stands for all. Immutable.
 *
 * @param view what the store said
 * @param name the lock, safe to show
 * @param holder the first holder and how many more, safe to show; empty if only waiters are there
 */
record Row(LockView view, String name, String holder) {
    static Row of(LockView view) {
        return new Row(view, SafeText.of(view.name()), holder(view));
    }

    private static String holder(LockView view) {
        if (view.holders().isEmpty()) {
            return "";
        }
        int more = view.holders().size() - 1;
        return who(view.holders().get(0)) + (more == 0 ? "" : " +" + more);
    }

    static String who(LockView.Holder holder) {
        return who(holder.clientName(), holder.label());
    }

    static String who(String client, String label) {
        return SafeText.of(label.isEmpty() ? client : client + " (" + label + ")");
    }

    /** In a few columns; of a semaphore how many permits are taken. */
    String kind() {
        int taken = view.holders().stream().mapToInt(LockView.Holder::units).sum();
        return switch (view.kind()) {
            case EXCLUSIVE -> "excl";
            case READ_WRITE -> view.holders().isEmpty() ? "shared" : taken == view.capacity() ? "write" : "read";
            case SEMAPHORE -> taken + "/" + view.capacity();
        };
    }

    Optional<LockView.Holder> first() {
        return view.holders().stream().findFirst();
    }

    long token() {
        return first().map(LockView.Holder::token).orElse(0L);
    }

    /** How long the first holder has it, else how long the first waiter waits. */
    Duration age() {
        return first().map(LockView.Holder::heldFor)
                .or(() -> view.waiters().stream().findFirst().map(LockView.Waiter::waitingFor))
                .orElse(Duration.ZERO);
    }

    Optional<Duration> left() {
        return first().flatMap(LockView.Holder::remaining);
    }

    int waiters() {
        return view.waiters().size();
    }

    /** Whether a filter, in lower case, occurs in the name or with the holder. */
    boolean matches(String filter) {
        return name.toLowerCase(Locale.ROOT).contains(filter)
                || holder.toLowerCase(Locale.ROOT).contains(filter);
    }
}
