package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastListener;
import dev.holdfast.spring.autoconfigure.HoldfastProperties;
import dev.holdfast.spring.locked.SelfInvocation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** Defaults, metadata, and what an application prints that cannot start. */
@ExtendWith(OutputCaptureExtension.class)
class PropertiesTest {

    @Test
    void testsRunOnTheBootThatTheBuildMeans() {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("holdfast.test.boot"));
    }

    @Test
    void defaults() {
        Apps.inMemory().run(context -> {
            HoldfastProperties properties = context.getBean(HoldfastProperties.class);
            assertThat(properties.isEnabled()).isTrue();
            assertThat(properties.getCommandTimeout()).isEqualTo(Duration.ofSeconds(2));
            assertThat(properties.isLazy()).isFalse();
            assertThat(properties.isStayAwake()).isTrue();
            assertThat(properties.getOptions()).isEmpty();
            assertThat(properties.getElections()).isEmpty();
            assertThat(properties.getBean()).isNull();
            assertThat(properties.getDefaults().getLeaseTime()).isEqualTo(Duration.ofSeconds(30));
            assertThat(properties.getDefaults().getMaxHold()).isNull();
            assertThat(properties.getDefaults().getStickyFor()).isZero();
            assertThat(properties.getDefaults().isInterruptOnLoss()).isFalse();
            assertThat(properties.getLocked().isEnabled()).isTrue();
            assertThat(properties.getLocked().getWait()).isEqualTo(Duration.ofSeconds(10));
            assertThat(properties.getLocked().getOrder()).isEqualTo(1000);
            assertThat(properties.getLocked().getSelfInvocation()).isEqualTo(SelfInvocation.FAIL);
        });
    }

    @Test
    void nameOfTheClientHasTheApplicationInIt() {
        Apps.inMemory()
                .withPropertyValues("spring.application.name=shop")
                .run(context -> assertThat(context.getBean(Holdfast.class).clientName())
                        .startsWith("shop@")
                        .endsWith("/" + ProcessHandle.current().pid()));
        Apps.inMemory()
                .withPropertyValues("holdfast.client-name=till 7")
                .run(context ->
                        assertThat(context.getBean(Holdfast.class).clientName()).isEqualTo("till 7"));
    }

    @Test
    void listenersAndCustomizersAreUsed() {
        CopyOnWriteArrayList<HoldfastEvent> first = new CopyOnWriteArrayList<>();
        CopyOnWriteArrayList<HoldfastEvent> second = new CopyOnWriteArrayList<>();
        Apps.inMemory()
                .withBean("first", HoldfastListener.class, () -> first::add)
                .withBean("second", HoldfastListener.class, () -> second::add)
                .withBean(HoldfastCustomizer.class, () -> builder -> builder.clientName("customised"))
                .run(context -> {
                    Holdfast locks = context.getBean(Holdfast.class);
                    assertThat(locks.clientName()).isEqualTo("customised");
                    locks.lock("a").run(lease -> {});
                    Awaitility.await().until(() -> !first.isEmpty() && !second.isEmpty());
                });
    }

    @Test
    void everyPropertyIsDescribedInTheMetadata() throws IOException {
        String metadata;
        try (InputStream in =
                HoldfastProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            metadata = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        for (String property : new String[] {
            "enabled",
            "url",
            "username",
            "password",
            "bean",
            "client-name",
            "command-timeout",
            "lazy",
            "stay-awake",
            "options",
            "elections",
            "defaults.lease-time",
            "defaults.max-hold",
            "defaults.sticky-for",
            "defaults.interrupt-on-loss",
            "locked.enabled",
            "locked.wait",
            "locked.order",
            "locked.self-invocation"
        }) {
            assertThat(metadata).containsPattern("\"name\": \"holdfast\\." + property + "\",[^}]*\"description\": \"");
        }
    }

    @Test
    void applicationWithoutAStorePrintsWhatToDo(CapturedOutput output) {
        SpringApplication application = new SpringApplicationBuilder(Nothing.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "spring.autoconfigure.exclude=" + Apps.storesOfBoot())
                .build();
        try {
            application.run();
        } catch (RuntimeException expected) {
            assertThat(Apps.problem(expected)).isNotNull();
        }
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("There is no store for locks")
                .contains("Set 'holdfast.url'");
    }

    @Test
    void applicationWhoseStoreIsDownPrintsWhatToDoAndStartsIfLazy(CapturedOutput output) {
        String[] nobodyListens = {
            "--holdfast.url=redis://127.0.0.1:1",
            "--spring.main.banner-mode=off",
            "--spring.autoconfigure.exclude=" + Apps.storesOfBoot()
        };
        SpringApplication application = new SpringApplicationBuilder(Nothing.class)
                .web(WebApplicationType.NONE)
                .build();
        try {
            application.run(nobodyListens);
        } catch (RuntimeException expected) {
            assertThat(expected).hasStackTraceContaining("StoreUnavailableException");
        }
        assertThat(output).contains("The lock store did not answer").contains("holdfast.lazy=true");
        Apps.bare()
                .withPropertyValues("holdfast.url=redis://127.0.0.1:1", "holdfast.lazy=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Nothing {}
}
