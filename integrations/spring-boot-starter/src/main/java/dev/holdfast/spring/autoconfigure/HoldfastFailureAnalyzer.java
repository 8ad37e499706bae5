package dev.holdfast.spring.autoconfigure;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spring.HoldfastStartupException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints why an application did not start because of its locks. */
final class HoldfastFailureAnalyzer extends AbstractFailureAnalyzer<HoldfastException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, HoldfastException cause) {
        if (cause instanceof HoldfastStartupException startup) {
            return new FailureAnalysis(sentence(startup.problem()), sentence(startup.action()), cause);
        }
        if (cause instanceof StoreUnavailableException) {
            return new FailureAnalysis(
                    "The lock store did not answer: " + cause.getMessage(),
                    "Start the store or correct its address. With 'holdfast.lazy=true' the application starts without"
                            + " it.",
                    cause);
        }
        if (cause instanceof StoreMisconfiguredException) {
            return new FailureAnalysis(
                    "The lock store cannot be used as it is set up: " + cause.getMessage(),
                    "Correct the properties that begin with 'holdfast.', or the store.",
                    cause);
        }
        return null;
    }

    private static String sentence(String text) {
        String given = Objects.requireNonNull(text, "text");
        return Character.toUpperCase(given.charAt(0)) + given.substring(1) + ".";
    }
}
