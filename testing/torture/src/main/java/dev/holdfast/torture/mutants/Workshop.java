package dev.holdfast.torture.mutants;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Makes mutants: patches sources and scripts, compiles the sources, and writes what came of it into a directory that a
 * worker has before everything else on its class path. See docs/decisions/0003.
 */
public final class Workshop {
    /** The sources refer to these annotations, which are not needed for anything else. */
    private static final Map<String, String> ANNOTATIONS = Map.of(
            "org/jspecify/annotations/Nullable.java",
            """
            package org.jspecify.annotations;
            @java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE_USE)
            public @interface Nullable {}
            """,
            "edu/umd/cs/findbugs/annotations/SuppressFBWarnings.java",
            """
            package edu.umd.cs.findbugs.annotations;
            public @interface SuppressFBWarnings {
                String[] value() default {};
                String justification() default "";
            }
            """);

    private final Path root;

    private Workshop(Path root) {
        this.root = root;
    }

    /** {@return one for the sources that the running classes were compiled from} */
    public static Workshop here() {
        try {
            Path classes = Path.of(Workshop.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            for (Path above = classes; above != null; above = above.getParent()) {
                if (Files.exists(above.resolve("testing/torture/pom.xml"))) {
                    return new Workshop(above);
                }
            }
            throw new IllegalStateException("mutants need the sources, and " + classes + " is not in a checkout");
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Writes the changed classes and scripts of a bug.
     *
     * @param bug what to change
     * @param directory below which they are written
     * @return where they are
     */
    public Path make(Bug bug, Path directory) {
        Path sources = directory.resolve("mutant-sources");
        Path classes = directory.resolve("mutant-classes");
        Map<String, String> texts = change(bug);
        List<Path> units = new ArrayList<>();
        try {
            texts.putAll(ANNOTATIONS);
            Files.createDirectories(classes);
            for (Map.Entry<String, String> text : texts.entrySet()) {
                boolean java = text.getKey().endsWith(".java");
                Path target = (java ? sources : classes).resolve(text.getKey());
                Files.createDirectories(target.resolveSibling("."));
                Files.writeString(target, text.getValue());
                if (java) {
                    units.add(target);
                }
            }
            compile(bug, units, classes);
        } catch (IOException unreadable) {
            throw new UncheckedIOException("the mutant " + bug.word() + " cannot be made", unreadable);
        }
        return classes;
    }

    /** The changed files of a bug, by their paths; an error if a change does not fit the source any more. */
    Map<String, String> change(Bug bug) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Patch patch : bug.patches()) {
            String before = texts.containsKey(patch.file()) ? texts.get(patch.file()) : read(patch);
            texts.put(patch.file(), patch.apply(before));
        }
        return texts;
    }

    private String read(Patch patch) {
        String kind = patch.isJava() ? "src/main/java" : "src/main/resources";
        Path file = root.resolve(patch.module()).resolve(kind).resolve(patch.file());
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(file + " cannot be read", unreadable);
        }
    }

    private static void compile(Bug bug, List<Path> units, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("mutants need a JDK, not just a runtime");
        }
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        String path = System.getProperty("java.class.path", "")
                + File.pathSeparator
                + System.getProperty("jdk.module.path", "");
        List<String> options = List.of("-proc:none", "-nowarn", "-classpath", path, "-d", classes.toString());
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, null, null)) {
            boolean done = compiler.getTask(null, files, found, options, null, files.getJavaFileObjectsFromPaths(units))
                    .call();
            if (!done) {
                throw new IllegalStateException(bug.word() + " does not compile: " + found.getDiagnostics());
            }
        }
    }
}
