package dev.holdfast.simulation.mutants;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** Loads all of the library and the simulator anew, with some classes replaced, so that everything links to the mutant. */
final class MutantLoader extends ClassLoader {
    static {
        ClassLoader.registerAsParallelCapable();
    }

    private final Map<String, byte[]> replaced;

    MutantLoader(Map<String, byte[]> replaced) {
        super(MutantLoader.class.getClassLoader());
        this.replaced = Map.copyOf(replaced);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("dev.holdfast.")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = replaced.getOrDefault(name, new byte[0]);
        if (bytes.length == 0) {
            bytes = original(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] original(String name) throws ClassNotFoundException {
        try (InputStream stream = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (stream == null) {
                throw new ClassNotFoundException(name);
            }
            return stream.readAllBytes();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
