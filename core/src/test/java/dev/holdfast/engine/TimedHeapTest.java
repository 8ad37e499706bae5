package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimedHeapTest {
    private static final class Entry extends Timed {
        @Override
        public void onDue() {}
    }

    @Test
    void whatIsDueFirstComesOutFirstWhateverWasMovedOrTakenOut() {
        Random random = new Random(7);
        TimedHeap heap = new TimedHeap();
        List<Entry> inside = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            if (inside.isEmpty() || random.nextInt(3) > 0) {
                Entry entry = random.nextBoolean() || inside.isEmpty()
                        ? new Entry()
                        : inside.get(random.nextInt(inside.size()));
                if (!inside.contains(entry)) {
                    inside.add(entry);
                }
                heap.put(entry, random.nextInt(100));
            } else {
                Entry entry = inside.remove(random.nextInt(inside.size()));
                heap.remove(entry);
                heap.remove(entry);
            }
            if (inside.size() > 200) {
                inside.forEach(heap::remove);
                inside.clear();
            }
            assertThat(heap.size()).isEqualTo(inside.size());
            assertThat(heap.firstDueNanos())
                    .isEqualTo(inside.stream()
                            .mapToLong(entry -> entry.dueNanos)
                            .min()
                            .orElse(Long.MAX_VALUE));
        }
    }

    @Test
    void tiesComeOutInOrderOfScheduling() {
        TimedHeap heap = new TimedHeap();
        List<Timed> in = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Entry entry = new Entry();
            in.add(entry);
            heap.put(entry, 5);
        }
        List<Timed> out = new ArrayList<>();
        for (Timed first = heap.first(); first != null; first = heap.first()) {
            heap.remove(first);
            out.add(first);
        }
        assertThat(out).isEqualTo(in).isSortedAccordingTo(Comparator.comparingLong(entry -> entry.order));
    }
}
