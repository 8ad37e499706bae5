package dev.holdfast.micrometer;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Makes the page from which {@code docs/images/dashboard.png} is taken: two instances of an application share a real Redis
 * for a minute and a half; in the middle the network is silent for twelve seconds. What Prometheus would have scraped
 * goes into a page that draws the panels of the dashboard. Not a test. To make the picture again, in this module:
 *
 * <pre>
 * mvn test-compile dependency:build-classpath -Dmdep.outputFile=target/classpath
 * java -cp target/classes:target/test-classes:$(cat target/classpath) \
 *     dev.holdfast.micrometer.DashboardPicture target/dashboard.html
 * chromium --headless --hide-scrollbars --window-size=1440,1110 \
 *     --screenshot=../../docs/images/dashboard.png file://$PWD/target/dashboard.html
 * </pre>
 */
final class DashboardPicture {
    private static final int SECONDS = 90;
    private static final int SILENT_FROM = 40;
    private static final int SILENT_TO = 52;
    private static final int EVICTED_AT = 70;
    private static final int INSTANCES = 2;
    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(9));

    private final CountDownLatch over = new CountDownLatch(1);

    private DashboardPicture() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path page = Path.of(arguments[0]);
        Files.writeString(page, new DashboardPicture().page());
        System.out.println("wrote " + page.toAbsolutePath());
    }

    private String page() throws IOException, InterruptedException {
        String template = Files.readString(Path.of("src/test/resources/dashboard.html"));
        return template.replace("DASHBOARD_JSON", Files.readString(DashboardTest.DASHBOARD))
                .replace("SAMPLES_JSON", samples());
    }

    private String samples() throws InterruptedException {
        List<String> scrapes = new ArrayList<>();
        List<Holdfast> clients = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try (Rig rig = new Rig()) {
            RedisNode redis = RedisNode.start(rig);
            FaultProxy network = FaultProxy.before(rig, redis.port());
            List<PrometheusMeterRegistry> registries = new ArrayList<>();
            for (int i = 0; i < INSTANCES; i++) {
                PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
                registries.add(registry);
                Holdfast client = Holdfast.builder()
                        .url("redis://127.0.0.1:" + network.port())
                        .clientName("shop-" + i)
                        .listener(HoldfastMetrics.builder(registry)
                                .tags(Tags.of("application", "shop", "instance", "shop-" + i))
                                .build())
                        .build();
                clients.add(client);
                threads.addAll(work(client));
            }
            for (int second = 0; second < SECONDS; second++) {
                boolean unused = over.await(1, TimeUnit.SECONDS);
                if (second == SILENT_FROM) {
                    network.blackHole(Direction.TO_CLIENT);
                } else if (second == SILENT_TO) {
                    network.heal();
                } else if (second == EVICTED_AT) {
                    clients.get(0).evict("report", "for the picture");
                }
                StringBuilder scrape = new StringBuilder();
                registries.forEach(registry -> scrape.append(registry.scrape()));
                scrapes.add(scrape.toString());
            }
            over.countDown();
            clients.forEach(Holdfast::close);
            for (Thread thread : threads) {
                thread.join(TimeUnit.SECONDS.toMillis(5));
            }
        }
        return json(scrapes);
    }

    /** Threads that share a lock, one that tries in vain now and then, and one that holds a lock for long. */
    private List<Thread> work(Holdfast client) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(repeat(() -> client.lock("orders", OPTIONS).run(lease -> pause(3))));
        }
        threads.add(repeat(() -> {
            client.lock("orders", OPTIONS).tryAcquire(Duration.ofMillis(2)).ifPresent(Lease::release);
            pause(40);
        }));
        threads.add(repeat(() -> {
            DistributedLock report = client.lock("report", OPTIONS);
            try (Lease unused = report.acquire()) {
                pause(15_000);
            }
        }));
        return threads;
    }

    /** Some work. */
    @FunctionalInterface
    private interface Work {
        void run() throws InterruptedException;
    }

    private Thread repeat(Work work) {
        Thread thread = new Thread(() -> {
            while (over.getCount() > 0) {
                try {
                    work.run();
                } catch (InterruptedException ended) {
                    return;
                } catch (RuntimeException outage) {
                    pauseAfter(outage);
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void pauseAfter(RuntimeException outage) {
        try {
            pause(200);
        } catch (InterruptedException ended) {
            outage.addSuppressed(ended);
            Thread.currentThread().interrupt();
        }
    }

    /** Works for a random time, up to twice the mean. */
    private void pause(long meanMillis) throws InterruptedException {
        boolean unused = over.await(ThreadLocalRandom.current().nextLong(2 * meanMillis) + 1, TimeUnit.MILLISECONDS);
    }

    private static String json(List<String> scrapes) {
        StringBuilder json = new StringBuilder("[");
        for (String scrape : scrapes) {
            json.append(json.length() > 1 ? ",\n" : "").append('"');
            scrape.lines()
                    .filter(line -> !line.startsWith("#"))
                    .forEach(line -> json.append(line.replace("\\", "\\\\").replace("\"", "\\\""))
                            .append("\\n"));
            json.append('"');
        }
        return json.append(']').toString();
    }
}
