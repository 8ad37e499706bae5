package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.spring.autoconfigure.ElectionAutoConfiguration;
import dev.holdfast.spring.autoconfigure.IntegrationAutoConfiguration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.integration.support.locks.LockRegistry;

/** Locks by qualifier, Spring Integration's registry, elections. */
class BeansTest {
    private static final ApplicationContextRunner APP = Apps.bare()
            .withConfiguration(
                    AutoConfigurations.of(ElectionAutoConfiguration.class, IntegrationAutoConfiguration.class));

    @Test
    void locksAreInjectedByQualifier() {
        APP.withPropertyValues(
                        "holdfast.url=memory:",
                        "holdfast.locks.nightly.lease-time=5s",
                        "holdfast.locks.printers.name=all-printers",
                        "holdfast.locks.printers.capacity=3",
                        "holdfast.locks.printers.permits=2",
                        "holdfast.locks.catalog.mode=read")
                .withBean(Night.class)
                .run(context -> {
                    Night night = context.getBean(Night.class);
                    Holdfast locks = context.getBean(Holdfast.class);
                    night.lock.run(lease -> {
                        assertThat(lease.name()).isEqualTo("nightly");
                        assertThat(lease.remaining().toSeconds()).isLessThan(5);
                    });
                    night.printers.run(lease -> assertThat(
                                    locks.inspect("all-printers").orElseThrow().capacity())
                            .isEqualTo(3));
                    DistributedLock catalog = context.getBean("catalog", DistributedLock.class);
                    try (Lease one = catalog.acquire();
                            Lease two = catalog.acquire()) {
                        assertThat(one.isExclusive() || two.isExclusive()).isFalse();
                    }
                });
    }

    @Test
    @SuppressWarnings("rawtypes")
    void integrationGetsItsRegistry() {
        APP.withPropertyValues("holdfast.url=memory:").run(context -> {
            LockRegistry registry = context.getBean(LockRegistry.class);
            Lock lock = registry.obtain("a key/with:signs");
            lock.lock();
            try {
                // Owned by the thread, as Spring Integration expects.
                assertThat(registry.obtain("a key/with:signs").tryLock()).isTrue();
                lock.unlock();
                assertThat(context.getBean(Holdfast.class)
                                .inspect("integration:a%20key%2Fwith%3Asigns")
                                .orElseThrow()
                                .holders())
                        .hasSize(1);
            } finally {
                lock.unlock();
            }
            assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(" "));
        });
        APP.withPropertyValues("holdfast.url=memory:")
                .withClassLoader(new FilteredClassLoader("org.springframework.integration"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Holdfast.class));
    }

    @Test
    void electionIsToldAsEventsAndRunsItsBeansOnTheLeaderOnly() {
        ApplicationContextRunner instance = APP.withPropertyValues(
                        "holdfast.url=memory:election", "holdfast.elections=billing", "cluster=reports")
                .withUserConfiguration(Candidates.class)
                .withBean(Events.class);
        instance.run(first -> {
            Poller leading = first.getBean(Poller.class);
            Awaitility.await().until(() -> leading.running);
            Events told = first.getBean(Events.class);
            Awaitility.await().until(() -> told.elected.size() == 2);
            assertThat(told.elected).extracting(ElectedEvent::election).containsExactlyInAnyOrder("billing", "reports");
            instance.run(second -> {
                Poller waiting = second.getBean(Poller.class);
                assertThat(waiting.running).isFalse();
                // Evicted, the first is told and stops; it may well be elected again.
                first.getBean(Holdfast.class).evict("reports", "test");
                Awaitility.await()
                        .until(() ->
                                told.deposed.contains(new DeposedEvent("reports", Optional.of(LossReason.EVICTED))));
                assertThat(leading.stopped).isTrue();
                Awaitility.await().until(() -> leading.running != waiting.running);
                first.getSourceApplicationContext(org.springframework.context.ConfigurableApplicationContext.class)
                        .stop();
                assertThat(leading.running).isFalse();
                assertThat(told.deposed).contains(new DeposedEvent("billing", Optional.empty()));
                Awaitility.await().until(() -> waiting.running);
                // A context that is started again stands again.
                first.getSourceApplicationContext(org.springframework.context.ConfigurableApplicationContext.class)
                        .start();
            });
            Awaitility.await().until(() -> leading.running);
            first.getSourceApplicationContext(org.springframework.context.ConfigurableApplicationContext.class)
                    .stop();
            assertThat(told.deposed).contains(new DeposedEvent("reports", Optional.empty()));
            assertThat(told.stillRunning)
                    .as("a bean ran after its instance was deposed")
                    .isFalse();
        });
    }

    @Test
    void beanOfAnElectionThatCannotBeStartedAndStoppedIsRefused() {
        APP.withPropertyValues("holdfast.url=memory:")
                .withBean(NoLifecycle.class)
                .run(context -> assertThat(Apps.problem(context.getStartupFailure()))
                        .hasMessageContaining("has @OnElected but is not a Lifecycle"));
        APP.withPropertyValues("holdfast.url=memory:")
                .withBean(StartsItself.class)
                .run(context -> assertThat(Apps.problem(context.getStartupFailure()))
                        .hasMessageContaining("has @OnElected but starts by itself"));
    }

    @Test
    void withoutAnyPropertyEveryKindOfBeanIsThereOnTheDatabaseOfTheApplication() {
        Apps.withDatabase(APP, "jdbc:h2:mem:beans;DB_CLOSE_DELAY=-1")
                .withUserConfiguration(OnlyAnnotations.class)
                .withBean(Events.class)
                .run(context -> {
                    assertThat(context).hasSingleBean(Holdfast.class).hasSingleBean(LockRegistry.class);
                    assertThat(context.getBean(OnlyAnnotations.Counter.class).locked())
                            .isTrue();
                    Awaitility.await().until(() -> context.getBean(Poller.class).running);
                    Awaitility.await()
                            .until(() -> !context.getBean(Events.class).elected.isEmpty());
                });
    }

    static class Night {
        final DistributedLock lock;
        final DistributedLock printers;

        Night(@Qualifier("nightly") DistributedLock lock, @Qualifier("printers") DistributedLock printers) {
            this.lock = lock;
            this.printers = printers;
        }
    }

    static class Poller implements Lifecycle {
        volatile boolean running;
        volatile boolean stopped;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            stopped = true;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Candidates {
        @Bean
        @OnElected("${cluster}")
        Poller poller() {
            return new Poller();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnlyAnnotations {
        @Bean
        @OnElected("leader")
        Poller poller() {
            return new Poller();
        }

        @Bean
        Counter counter(Holdfast locks) {
            return new Counter(locks);
        }

        static class Counter {
            private final Holdfast locks;

            Counter(Holdfast locks) {
                this.locks = locks;
            }

            @Locked(name = "counter")
            boolean locked() {
                return locks.inspect("counter").orElseThrow().holders().size() == 1;
            }
        }
    }

    static class Events {
        final List<ElectedEvent> elected = new CopyOnWriteArrayList<>();
        final List<DeposedEvent> deposed = new CopyOnWriteArrayList<>();
        volatile boolean stillRunning;
        private final ObjectProvider<Poller> poller;

        Events(ObjectProvider<Poller> poller) {
            this.poller = poller;
        }

        @EventListener
        void on(ElectedEvent event) {
            elected.add(event);
        }

        @EventListener
        void on(DeposedEvent event) {
            if (event.election().equals("reports") && poller.getObject().running) {
                stillRunning = true;
            }
            deposed.add(event);
        }
    }

    @OnElected("leader")
    static class NoLifecycle {}

    @OnElected("leader")
    static class StartsItself implements SmartLifecycle {
        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }
}
