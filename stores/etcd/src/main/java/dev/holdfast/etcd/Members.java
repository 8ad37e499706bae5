package dev.holdfast.etcd;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The members of the cluster. All calls go to one of them until it fails; then to the next. Every member forwards what only
 * the leader can do. Thread-safe.
 */
final class Members {
    private final List<Member> members;
    private final Runnable release;
    private final AtomicInteger current;

    /** Takes members in the order given, beginning anywhere, and what to do when all are closed. */
    Members(List<Member> members, int first, Runnable release) {
        this.members = List.copyOf(members);
        this.current = new AtomicInteger(first % members.size());
        this.release = release;
    }

    Member current() {
        return members.get(current.get());
    }

    int size() {
        return members.size();
    }

    /** A member failed: the next calls go elsewhere, if there is somewhere else. True for the first who says so. */
    boolean moveOn(Member failed) {
        int now = current.get();
        return members.get(now) == failed && current.compareAndSet(now, (now + 1) % members.size());
    }

    void close(long patienceNanos) {
        members.forEach(member -> member.close(patienceNanos));
        release.run();
    }
}
