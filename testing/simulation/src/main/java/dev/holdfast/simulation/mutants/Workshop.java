package dev.holdfast.simulation.mutants;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Makes mutants: patches sources of core and compiles them in memory. Nothing is written to disk. */
final class Workshop {
    /** The sources refer to this annotation, which is not needed for anything else. */
    private static final String NULLABLE = """
            package org.jspecify.annotations;
            @java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE_USE)
            public @interface Nullable {}
            """;

    private final Path sources;
    private final Path classes;

    Workshop(Path sources, Path classes) {
        this.sources = sources;
        this.classes = classes;
    }

    /**
     * The workshop for the sources that the running classes were compiled from; the system property
     * {@code holdfast.simulation.sources} names others.
     */
    static Workshop here() {
        try {
            Path simulation = Path.of(Workshop.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            Path root = simulation.resolve("../../../..").normalize();
            Path core = Path.of(Class.forName("dev.holdfast.Holdfast")
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            String elsewhere = System.getProperty("holdfast.simulation.sources");
            return new Workshop(elsewhere == null ? root.resolve("core/src/main/java") : Path.of(elsewhere), core);
        } catch (URISyntaxException | ClassNotFoundException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** {@return the classes of core that a mutant changes, by name} */
    Map<String, byte[]> make(Mutant mutant) {
        Map<String, String> patched = new LinkedHashMap<>();
        for (Patch patch : mutant.patches()) {
            patched.put(patch.file(), patch.apply(patched.computeIfAbsent(patch.file(), this::read)));
        }
        List<JavaFileObject> units = new ArrayList<>();
        patched.forEach((file, text) -> units.add(new Source(file, text)));
        units.add(new Source("org/jspecify/annotations/Nullable.java", NULLABLE));
        return compile(mutant, units);
    }

    private String read(String file) {
        try {
            return Files.readString(sources.resolve(file));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private Map<String, byte[]> compile(Mutant mutant, List<JavaFileObject> units) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("mutants need a JDK, not just a runtime");
        }
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        List<String> options = List.of("-proc:none", "-nowarn", "-classpath", classes.toString());
        try (Output output = new Output(compiler.getStandardFileManager(diagnostics, null, null))) {
            if (!compiler.getTask(null, output, diagnostics, options, null, units)
                    .call()) {
                throw new StaleMutantException(mutant.name() + " does not compile: " + diagnostics.getDiagnostics());
            }
            return output.bytes();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** A source file in memory. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("memory:///" + file), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps what is compiled in memory. */
    private static final class Output extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> written = new HashMap<>();

        Output(JavaFileManager inputs) {
            super(inputs);
        }

        Map<String, byte[]> bytes() {
            Map<String, byte[]> bytes = new HashMap<>();
            written.forEach((name, stream) -> bytes.put(name, stream.toByteArray()));
            return bytes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + className.replace('.', '/')), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return written.computeIfAbsent(className, name -> new ByteArrayOutputStream());
                }
            };
        }
    }
}
