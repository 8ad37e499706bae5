package dev.holdfast.spring.locked;

import dev.holdfast.spring.HoldfastStartupException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;

/** When the work of a method is done, told by what it returns. */
enum Result {
    /** When it returns. */
    PLAIN,
    /** When the future that it returns is complete. */
    STAGE,
    /** When the {@code Mono} that it returns has ended; also a Kotlin function that suspends. */
    MONO,
    /** When the {@code Flux} that it returns has ended. */
    FLUX;

    private static final String MONO_TYPE = "reactor.core.publisher.Mono";
    private static final String FLUX_TYPE = "reactor.core.publisher.Flux";

    static Result of(Method method, String where) {
        Class<?> type = typeOf(method);
        boolean suspending = KotlinDetector.isSuspendingFunction(method);
        if (!suspending) {
            if (type.getName().equals(MONO_TYPE)) {
                return MONO;
            }
            if (type.getName().equals(FLUX_TYPE)) {
                return FLUX;
            }
            if (type == CompletableFuture.class || type == CompletionStage.class) {
                return STAGE;
            }
        }
        if (Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || BaseStream.class.isAssignableFrom(type)
                || isA(type, "org.reactivestreams.Publisher")
                || isA(type, "java.util.concurrent.Flow$Publisher")
                || isA(type, "kotlinx.coroutines.flow.Flow")
                || isA(type, "kotlinx.coroutines.Job")) {
            throw new HoldfastStartupException(
                    where + " returns a " + type.getName() + ", which goes on after the method has returned, and nobody"
                            + " can tell when its lock may be released",
                    suspending
                            ? "return a value that is complete"
                            : "return a CompletionStage, CompletableFuture, Mono or Flux, or a value that is complete");
        }
        return suspending ? MONO : PLAIN;
    }

    /** {@return what callers get: for a Kotlin function that suspends, not what it has in bytecode} */
    static Class<?> typeOf(Method method) {
        return new MethodParameter(method, -1).getParameterType();
    }

    /** {@return whether there is something to return if a call is skipped; Kotlin trusts what is not marked as nullable} */
    static boolean canBeSkipped(Method method) {
        Class<?> type = typeOf(method);
        return type == void.class
                || (KotlinDetector.isSuspendingFunction(method)
                        ? new MethodParameter(method, -1).isOptional()
                        : !type.isPrimitive());
    }

    private static boolean isA(Class<?> type, String name) {
        ClassLoader loader = type.getClassLoader();
        return ClassUtils.isPresent(name, loader)
                && ClassUtils.resolveClassName(name, loader).isAssignableFrom(type);
    }

    /** {@return what a call returns that was skipped; not for reactive results} */
    static @Nullable Object skipped(Method method) {
        Class<?> type = method.getReturnType();
        if (type == Optional.class) {
            return Optional.empty();
        }
        return type == CompletableFuture.class || type == CompletionStage.class
                ? CompletableFuture.completedFuture(null)
                : null;
    }
}
