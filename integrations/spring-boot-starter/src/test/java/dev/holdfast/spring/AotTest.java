package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ClassUtils;

/** The application as Spring's ahead-of-time processing makes it: generated, compiled and run. */
class AotTest {
    private static final String[] PROPERTIES = {
        "spring.datasource.url=jdbc:h2:mem:aot;DB_CLOSE_DELAY=-1", "holdfast.locks.nightly.lease-time=5s",
    };

    @Test
    @CompileWithForkedClassLoader
    @SuppressWarnings("unchecked")
    void processedApplicationWorks() {
        AnnotationConfigApplicationContext source = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(PROPERTIES).applyTo(source);
        source.register(App.class);
        TestGenerationContext generation = new TestGenerationContext(ClassName.get("dev.holdfast.spring", "Processed"));
        ClassName initializer = new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
        generation.writeGeneratedContent();

        for (String adapter :
                List.of("DataSourceAdapter", "RedisAdapter", "CuratorAdapter", "StoreFinder$FactoryAdapter")) {
            Class<?> type = ClassUtils.resolveClassName(
                    "dev.holdfast.spring.autoconfigure." + adapter, AotTest.class.getClassLoader());
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(type)
                            .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
                    .accepts(generation.getRuntimeHints());
        }

        TestCompiler.forSystem().with(generation).compile(compiled -> {
            ApplicationContextInitializer<GenericApplicationContext> made =
                    compiled.getInstance(ApplicationContextInitializer.class, initializer.toString());
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                TestPropertyValues.of(PROPERTIES).applyTo(context);
                context.setClassLoader(Thread.currentThread().getContextClassLoader());
                made.initialize(context);
                context.refresh();
                assertThat(context.getBean(Counter.class).locked()).isTrue();
                assertThat(context.getBean("nightly", DistributedLock.class).tryAcquire())
                        .isPresent();
                Awaitility.await().until(() -> context.getBean(BeansTest.Poller.class).running);
            }
        });
    }

    /** Every file that a jar of ours reads, and every class that it makes by name, stands in its metadata and exists. */
    @Test
    void metadataOfTheStoresNamesWhatIsThere() throws IOException {
        List<String> found = new java.util.ArrayList<>();
        for (String artifact : List.of("core", "jdbc", "redis", "zookeeper")) {
            String file = "META-INF/native-image/dev.holdfast/holdfast-" + artifact + "/reachability-metadata.json";
            String text;
            try (InputStream in = AotTest.class.getClassLoader().getResourceAsStream(file)) {
                text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
            Matcher types =
                    Pattern.compile("\"type\": \"(dev\\.holdfast[^\"]+)\"").matcher(text);
            while (types.find()) {
                found.add(types.group(1));
            }
        }
        List<String> providers = new java.util.ArrayList<>();
        for (URL services : Collections.list(
                AotTest.class.getClassLoader().getResources("META-INF/services/dev.holdfast.spi.StoreProvider"))) {
            try (InputStream in = services.openStream()) {
                new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(providers::add);
            }
        }
        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(providers)
                .allSatisfy(type -> assertThat(ClassUtils.isPresent(type, AotTest.class.getClassLoader()))
                        .isTrue());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {
        @Bean
        Counter counter(Holdfast locks) {
            return new Counter(locks);
        }

        @Bean
        @OnElected("aot")
        BeansTest.Poller poller() {
            return new BeansTest.Poller();
        }
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
