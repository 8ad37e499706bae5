package dev.holdfast.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.server.history.History;
import dev.holdfast.server.wire.HeldBack;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a reader costs the server while it does not read. */
class NewsReaderTest {
    private static final Client ANYBODY = new Client("anybody", "anybody", Set.of(Client.Role.LOOK), List.of(""));

    private final News news = new News(new History(System::nanoTime));

    private void look(int locks, int waiters) {
        List<LockView> views = IntStream.range(0, locks)
                .mapToObj(i -> new LockView(
                        "n" + i,
                        LockKind.EXCLUSIVE,
                        1,
                        List.of(new LockView.Holder("c", "x".repeat(200), 1, i, Duration.ZERO, Optional.empty())),
                        IntStream.range(0, waiters)
                                .mapToObj(each -> new LockView.Waiter("w", "", 1, Duration.ZERO))
                                .toList(),
                        Optional.empty()))
                .toList();
        news.publish(news.state().look().next(views, false, System.nanoTime()));
    }

    @Test
    void nothingOfAnOldLookIsKeptForThoseThatReadNothing() {
        List<HeldBack> ends = new ArrayList<>();
        List<NewsReader> readers = new ArrayList<>();
        List<WeakReference<Look>> looks = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            HeldBack end = new HeldBack();
            ends.add(end);
            readers.add(new NewsReader(
                    end.stream(),
                    ANYBODY,
                    name -> true,
                    news,
                    Duration.ofMinutes(5).toNanos()));
            look(1_000, i % 2);
            looks.add(new WeakReference<>(news.state().look()));
            readers.forEach(NewsReader::tell);
        }
        // Each of them is in the midst of another look, of which one event or two are on their way.
        assertThat(ends).allSatisfy(end -> assertThat(end.untaken()).isBetween(1, 4));
        looks.remove(looks.size() - 1);
        await().until(() -> {
            System.gc();
            return looks.stream().allMatch(look -> look.get() == null);
        });
        look(10, 0);
        readers.forEach(NewsReader::tell);
        ends.forEach(HeldBack::takeAll);
        assertThat(ends).allSatisfy(end -> assertThat(end.untaken()).isZero());
    }
}
