package dev.holdfast.spring.autoconfigure;

import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.env.Environment;

/** Says at the start that methods with {@code @Locked} run without a lock, where a property has chosen that. */
@AutoConfiguration
public class UnlockedAutoConfiguration {
    private static final Log log = LogFactory.getLog("dev.holdfast.spring");

    /**
     * Looks at the properties.
     *
     * @param environment has them
     */
    public UnlockedAutoConfiguration(Environment environment) {
        for (String property : List.of("holdfast.enabled", "holdfast.locked.enabled")) {
            if (!environment.getProperty(property, Boolean.class, true)) {
                log.warn("'" + property + "' is false: methods with @Locked run WITHOUT a lock");
            }
        }
    }
}
