package dev.holdfast.bench.ruler;

import dev.holdfast.spring.Locked;
import dev.holdfast.spring.autoconfigure.HoldfastAutoConfiguration;
import dev.holdfast.spring.autoconfigure.LockedAutoConfiguration;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** An application of Spring Boot with a locked method. A call takes the lock and gives it back, so that it is a pair. */
final class LockedCalls implements Locks {
    private final ConfigurableApplicationContext application;

    LockedCalls(String url) {
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties("holdfast.url=" + url)
                .run();
    }

    @Override
    public Mutex mutex(String name) {
        Work work = application.getBean(Work.class);
        return new Mutex() {
            @Override
            public void lock() {
                work.run(name);
            }

            @Override
            public void unlock() {
                // Done when the call has returned.
            }
        };
    }

    @Override
    public void close() {
        application.close();
    }

    /** Nothing but the starter: other auto-configurations would find what the peers bring. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({HoldfastAutoConfiguration.class, LockedAutoConfiguration.class})
    @Import(Work.class)
    static class Application {}

    /** What is protected; there is nothing to do in it. */
    static class Work {
        @Locked(name = "#{#p0}")
        void run(String name) {}
    }
}
