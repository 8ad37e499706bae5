package dev.holdfast.spring.locked;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Finds calls of an object's own locked methods in the compiled class. They go past Spring's proxy and so past the lock. A
 * call through another reference to the same bean, such as an injected one, is none of them.
 */
final class OwnCalls {

    /**
     * One call.
     *
     * @param from the calling method
     * @param to the locked method
     */
    record Call(String from, String to) {}

    private OwnCalls() {}

    /** {@return the calls; none if the compiled class cannot be read, as in a native image} */
    static Collection<Call> in(Class<?> type, List<Method> locked) {
        Set<String> targets = locked.stream()
                .map(method -> method.getName() + Type.getMethodDescriptor(method))
                .collect(Collectors.toSet());
        Set<String> owners = new LinkedHashSet<>();
        List<Class<?>> levels = new ArrayList<>();
        for (Class<?> level = type; level != null && level != Object.class; level = level.getSuperclass()) {
            owners.add(Type.getInternalName(level));
            levels.add(level);
        }
        Set<Call> calls = new LinkedHashSet<>();
        for (Class<?> level : levels) {
            try (InputStream in = level.getResourceAsStream(ClassUtils.getClassFileName(level))) {
                if (in != null) {
                    new ClassReader(in)
                            .accept(
                                    new Methods(owners, targets, calls),
                                    ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
                }
            } catch (IOException | IllegalArgumentException unreadable) {
                // A class of a newer format: what cannot be read cannot be seen.
                continue;
            }
        }
        return calls;
    }

    private static final class Methods extends ClassVisitor {
        private final Set<String> owners;
        private final Set<String> targets;
        private final Set<Call> calls;

        Methods(Set<String> owners, Set<String> targets, Set<Call> calls) {
            super(SpringAsmInfo.ASM_VERSION);
            this.owners = owners;
            this.targets = targets;
            this.calls = calls;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            boolean hasThis = (access & Opcodes.ACC_STATIC) == 0;
            // A bridge calls the method that it stands for.
            boolean bridge = (access & Opcodes.ACC_BRIDGE) != 0;
            return new OwnCallVisitor(hasThis, (owner, called) -> {
                if (!bridge && owners.contains(owner) && targets.contains(called)) {
                    calls.add(new Call(name, called.substring(0, called.indexOf('('))));
                }
            });
        }
    }
}
