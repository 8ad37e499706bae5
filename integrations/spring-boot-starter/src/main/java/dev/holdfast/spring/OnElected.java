package dev.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets a bean run only on the instance that leads. The bean is a {@link org.springframework.context.Lifecycle}: it is started
 * when this instance is elected and stopped when it is deposed or the application ends. Neither method may block for long.
 * A {@link org.springframework.context.SmartLifecycle} must not start by itself.
 *
 * <p>The instance stands for the election because the bean is there; all beans of one election start and stop together.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface OnElected {
    /**
     * Names the election.
     *
     * @return the name, with <code>${…}</code> placeholders if wanted
     */
    String value();
}
