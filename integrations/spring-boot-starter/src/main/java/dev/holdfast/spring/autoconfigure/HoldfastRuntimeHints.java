package dev.holdfast.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * What a native image must keep of the starter: the adapters, which are made by name. What the client and the stores need
 * stands in their own jars, under META-INF/native-image.
 */
final class HoldfastRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        for (StoreFinder.Kind kind : StoreFinder.Kind.values()) {
            hints.reflection()
                    .registerType(TypeReference.of(kind.adapter()), MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
            // Asked for by name to see whether they are there.
            hints.reflection().registerTypeIfPresent(loader, kind.beanType(), type -> {});
            hints.reflection().registerTypeIfPresent(loader, kind.storeType(), type -> {});
        }
    }
}
