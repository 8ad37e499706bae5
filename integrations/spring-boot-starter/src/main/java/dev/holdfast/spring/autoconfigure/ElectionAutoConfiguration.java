package dev.holdfast.spring.autoconfigure;

import dev.holdfast.Holdfast;
import dev.holdfast.spring.election.Elections;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Elections as events and as the life of beans. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnBean({Holdfast.class, HoldfastProperties.class})
public class ElectionAutoConfiguration {

    @Bean
    Elections holdfastElections(
            ConfigurableListableBeanFactory beans,
            Environment environment,
            ApplicationEventPublisher events,
            HoldfastProperties properties) {
        return new Elections(beans, environment, events, properties.getElections());
    }
}
