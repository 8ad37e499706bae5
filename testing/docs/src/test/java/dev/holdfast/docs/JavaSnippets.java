package dev.holdfast.docs;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Compiles snippets. What has imports of its own is a whole file; everything else is the body of a method of a subclass of
 * {@link Given}, with the imports below. In the generated source each line has the number that it has in its page, so that
 * a message of the compiler points there.
 */
final class JavaSnippets {
    static final String PACKAGE = "dev.holdfast.docs.snippets";

    private static final List<String> IMPORTS = List.of(
            "dev.holdfast.*",
            "dev.holdfast.fence.*",
            "dev.holdfast.jdbc.*",
            "dev.holdfast.micrometer.*",
            "dev.holdfast.redis.*",
            "dev.holdfast.spring.*",
            "dev.holdfast.test.*",
            "dev.holdfast.zookeeper.*",
            "dev.holdfast.etcd.*",
            "dev.holdfast.docs.Given",
            "io.micrometer.core.instrument.MeterRegistry",
            "java.time.Duration",
            "java.util.*",
            "java.util.concurrent.*",
            "java.util.concurrent.atomic.*",
            "java.util.concurrent.locks.Lock",
            "net.javacrumbs.shedlock.core.LockConfiguration",
            "net.javacrumbs.shedlock.core.SimpleLock",
            "net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock",
            "net.javacrumbs.shedlock.spring.annotation.SchedulerLock",
            "org.apache.curator.framework.recipes.locks.InterProcessMutex",
            "org.redisson.api.RFencedLock",
            "org.redisson.api.RLock",
            "org.springframework.beans.factory.annotation.Qualifier",
            "org.springframework.context.Lifecycle",
            "org.springframework.context.annotation.Bean",
            "org.springframework.context.event.EventListener",
            "org.springframework.scheduling.annotation.EnableScheduling",
            "org.springframework.scheduling.annotation.Scheduled",
            "org.springframework.transaction.annotation.Transactional");

    private static final Pattern WHOLE_FILE = Pattern.compile("(?m)^import |^package ");
    private static final Pattern MAIN_CLASS = Pattern.compile("(?m)^(?:final )?class (\\w+)");

    private final Path output;
    private final Map<Fence, String> classes = new LinkedHashMap<>();
    private final List<String> complaints = new ArrayList<>();

    private JavaSnippets(Path output) {
        this.output = output;
    }

    /** A snippet as a source that knows where it comes from. */
    private static final class Source extends SimpleJavaFileObject {
        private final Fence fence;
        private final String text;

        Source(String className, Fence fence, String text) {
            super(URI.create("snippet:///" + className + ".java"), Kind.SOURCE);
            this.fence = fence;
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    static JavaSnippets compile(List<Fence> fences, Path output) throws IOException {
        JavaSnippets snippets = new JavaSnippets(output);
        List<Source> sources = new ArrayList<>();
        for (Fence fence : fences) {
            sources.add(snippets.source(fence, sources.size() + 1));
        }
        snippets.compile(sources);
        return snippets;
    }

    private Source source(Fence fence, int number) {
        if (WHOLE_FILE.matcher(fence.code()).find()) {
            Matcher main = MAIN_CLASS.matcher(fence.code());
            String name = main.find() ? main.group(1) : "NoClass" + number;
            String inPackage = PACKAGE + ".file" + number;
            classes.put(fence, inPackage + "." + name);
            return new Source(name, fence, "package " + inPackage + ";" + "\n".repeat(fence.line() - 1) + fence.code());
        }
        String name = "Snippet" + number;
        classes.put(fence, PACKAGE + "." + name);
        StringBuilder text = new StringBuilder("package " + PACKAGE + "; ");
        IMPORTS.forEach(name1 -> text.append("import ").append(name1).append("; "));
        text.append("public class ")
                .append(name)
                .append(" extends Given { @Override protected void snippet() throws Exception {");
        text.append("\n".repeat(fence.line() - 1)).append(fence.code()).append("\n}}\n");
        return new Source(name, fence, text.toString());
    }

    private void compile(List<Source> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(diagnostics, Locale.ROOT, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "-d",
                    output.toString(),
                    "-classpath",
                    System.getProperty("java.class.path"),
                    "--release",
                    "17",
                    "-proc:none",
                    "-parameters",
                    "-Xlint:all,-try,-classfile,-path,-processing");
            compiler.getTask(null, files, diagnostics, options, null, sources).call();
        }
        for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics.getDiagnostics()) {
            if (diagnostic.getKind() != Diagnostic.Kind.NOTE) {
                complaints.add(describe(diagnostic));
            }
        }
    }

    private static String describe(Diagnostic<? extends JavaFileObject> diagnostic) {
        String message = diagnostic.getMessage(Locale.ROOT).replaceAll("\\s+", " ");
        return diagnostic.getSource() instanceof Source source
                ? source.fence.page().name() + ":" + diagnostic.getLineNumber() + ": " + message
                : message;
    }

    /** {@return what the compiler said, each with page and line; warnings count too} */
    List<String> complaints() {
        return complaints;
    }

    /**
     * Runs the tests of a snippet that was compiled.
     *
     * @return how many passed
     */
    long test(Fence fence) throws Exception {
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {output.toUri().toURL()}, JavaSnippets.class.getClassLoader())) {
            current.setContextClassLoader(loader);
            SummaryGeneratingListener summary = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectClass(loader.loadClass(classes.get(fence))))
                                    .build(),
                            summary);
            for (TestExecutionSummary.Failure failure : summary.getSummary().getFailures()) {
                throw new AssertionError(
                        fence.where() + ": " + failure.getTestIdentifier().getDisplayName() + " failed",
                        failure.getException());
            }
            return summary.getSummary().getTestsSucceededCount();
        } finally {
            current.setContextClassLoader(before);
        }
    }

    /** Runs a snippet that was compiled. */
    void run(Fence fence) throws Exception {
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {output.toUri().toURL()}, JavaSnippets.class.getClassLoader())) {
            Class<?> compiled = loader.loadClass(classes.get(fence));
            if (Given.class.isAssignableFrom(compiled)) {
                try (Given snippet = (Given) compiled.getDeclaredConstructor().newInstance()) {
                    snippet.open();
                    snippet.snippet();
                }
            } else {
                var main = compiled.getDeclaredMethod("main", String[].class);
                main.setAccessible(true);
                main.invoke(null, (Object) new String[0]);
            }
        }
    }
}
