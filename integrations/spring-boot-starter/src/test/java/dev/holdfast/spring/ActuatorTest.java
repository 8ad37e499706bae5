package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spring.actuate.LocksEndpoint;
import java.lang.reflect.Method;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.jmx.JmxEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.jmx.JmxOperation;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ReflectionUtils;

/** Endpoint, health and info of an application on Redis. */
class ActuatorTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;
    private static ConfigurableApplicationContext context;
    private static Holdfast locks;

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisNode.start(rig);
        context = application("actuator");
        locks = context.getBean(Holdfast.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static ConfigurableApplicationContext application(String domain, String... properties) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "holdfast.url=" + redis.url(),
                        "holdfast.command-timeout=500ms",
                        "spring.jmx.enabled=true",
                        "spring.autoconfigure.exclude=" + Apps.storesOfBoot(),
                        "management.endpoints.jmx.exposure.include=locks,health,info",
                        "management.endpoint.health.probes.enabled=true",
                        "management.endpoint.health.show-details=always",
                        "management.endpoints.jmx.domain=" + domain,
                        "spring.main.banner-mode=off")
                .properties(properties)
                .run();
    }

    @Test
    void locksAreListedAndShown() {
        LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
        try (Lease lease = locks.lock("orders/42").tryAcquire().orElseThrow()) {
            LocksEndpoint.Overview overview = endpoint.list("orders/", null);
            assertThat(overview.client()).isEqualTo(locks.clientName());
            assertThat(overview.locks()).singleElement().satisfies(lock -> {
                assertThat(lock.name()).isEqualTo("orders/42");
                assertThat(lock.holders()).singleElement().satisfies(holder -> {
                    assertThat(holder.client()).isEqualTo(locks.clientName());
                    assertThat(Long.parseLong(holder.token())).isEqualTo(lease.token());
                    assertThat(holder.remainingMillis()).isPositive();
                });
            });
            assertThat(endpoint.show("orders", "42").name()).isEqualTo("orders/42");
            assertThat(endpoint.show("orders/42").name()).isEqualTo("orders/42");
        }
        assertThat(endpoint.show("nobody")).isNull();
        assertThatThrownBy(() -> endpoint.list(null, 0)).hasMessageContaining("limit");
    }

    @Test
    void lastRunOfScheduledMethodsIsShown() {
        LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
        Awaitility.await().until(() -> !endpoint.list(null, null).scheduled().isEmpty());
        assertThat(endpoint.list(null, null).scheduled()).singleElement().satisfies(run -> {
            assertThat(run.method()).isEqualTo("Job.run");
            assertThat(run.locks()).containsExactly("job");
            assertThat(run.lastStart()).isNotNull();
        });
    }

    @Test
    void evictionIsOfferedOnlyWithUnrestrictedAccess() {
        assertThat(operations(context)).contains("list", "show").doesNotContain("evict");
        try (ConfigurableApplicationContext open =
                application("unrestricted", "management.endpoint.locks.access=unrestricted")) {
            assertThat(operations(open)).contains("list", "show", "evict");
            Lease lease = locks.lock("stuck").tryAcquire().orElseThrow();
            LocksEndpoint endpoint = open.getBean(LocksEndpoint.class);
            assertThat(endpoint.evict("test", Long.toString(lease.token() - 4096), "stuck")
                            .holders())
                    .isZero();
            assertThat(endpoint.evict("test", Long.toString(lease.token()), "stuck")
                            .holders())
                    .isEqualTo(1);
            Awaitility.await().until(() -> !lease.isHeld());
            assertThatThrownBy(() -> endpoint.evict(" ", null, "stuck")).hasMessageContaining("reason");
            assertThatThrownBy(() -> endpoint.evict("test", "x", "stuck")).isNotNull();
        }
    }

    @Test
    void storeIsAPartOfReadinessButNotOfLiveness() throws InterruptedException {
        assertThat(status("holdfast")).isEqualTo("UP");
        assertThat(status("readiness", "holdfast")).isEqualTo("UP");
        assertThat(status("liveness", "holdfast")).isEqualTo("absent");
        redis.pause();
        try {
            assertThat(status("readiness")).isEqualTo("DOWN");
            assertThat(status("liveness")).isEqualTo("UP");
        } finally {
            redis.resume();
        }
        Awaitility.await().until(() -> status("readiness").equals("UP"));
    }

    @Test
    void groupThatTheApplicationSetIsLeftAlone() {
        try (ConfigurableApplicationContext own =
                application("own-group", "management.endpoint.health.group.readiness.include=readinessState")) {
            assertThat(status(own, "readiness", "holdfast")).isEqualTo("absent");
        }
    }

    @Test
    void infoTellsWhatTheStorePromises() {
        Info.Builder builder = new Info.Builder();
        context.getBean("holdfastInfoContributor", InfoContributor.class).contribute(builder);
        assertThat(builder.build().get("holdfast"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("client", locks.clientName())
                .containsEntry("expiry", "LEASE")
                .containsKeys("promises", "failover");
    }

    private static List<String> operations(ConfigurableApplicationContext application) {
        return application.getBean(JmxEndpointsSupplier.class).getEndpoints().stream()
                .filter(endpoint -> endpoint.getEndpointId().toString().equals("locks"))
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .map(JmxOperation::getName)
                .toList();
    }

    private static String status(String... path) {
        return status(context, path);
    }

    /** The types of health have other packages in Boot 3, so they are used without their names. */
    private static String status(ConfigurableApplicationContext application, String... path) {
        Object endpoint = application.getBean("healthEndpoint");
        Object health = call(endpoint, "healthForPath", new Class<?>[] {String[].class}, (Object) path);
        return health == null ? "absent" : String.valueOf(call(health, "getStatus", new Class<?>[0]));
    }

    private static @Nullable Object call(Object target, String name, Class<?>[] types, Object... arguments) {
        Method method = ReflectionUtils.findMethod(target.getClass(), name, types);
        ReflectionUtils.makeAccessible(method);
        return ReflectionUtils.invokeMethod(method, target, arguments);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import(Job.class)
    static class App {}

    static class Job {
        @Scheduled(fixedDelay = 60_000)
        @Locked(name = "job")
        void run() {}
    }
}
