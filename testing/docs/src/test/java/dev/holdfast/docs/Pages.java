package dev.holdfast.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The pages of this repository. */
final class Pages {
    static final Path ROOT = Path.of(System.getProperty("holdfast.root", "../.."))
            .toAbsolutePath()
            .normalize();

    private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules", ".pages");

    private Pages() {}

    /** {@return every page, wherever it is} */
    static List<Page> all() throws IOException {
        List<Page> pages = new ArrayList<>();
        for (Path file : files("", file -> file.toString().endsWith(".md"))) {
            pages.add(Page.read(ROOT, file));
        }
        return pages;
    }

    /** {@return the pages for users: the README in all its languages and everything in docs} */
    static List<Page> forUsers() throws IOException {
        return all().stream()
                .filter(page -> page.name().startsWith("docs/") || page.name().matches("README[^/]*\\.md"))
                .toList();
    }

    /** {@return one page by its path from the root} */
    static Page named(String name) throws IOException {
        return Page.read(ROOT, ROOT.resolve(name));
    }

    /**
     * Finds files of this repository. Does not look into build directories, which may change while this looks.
     *
     * @param directory where, from the root
     * @param wanted which
     */
    static List<Path> files(String directory, Predicate<Path> wanted) throws IOException {
        List<Path> found = new ArrayList<>();
        collect(ROOT.resolve(directory), wanted, found);
        return found;
    }

    private static void collect(Path directory, Predicate<Path> wanted, List<Path> found) throws IOException {
        try (Stream<Path> children = Files.list(directory)) {
            for (Path child : children.sorted().toList()) {
                if (NOT_OURS.contains(child.getFileName().toString())) {
                    continue;
                }
                if (Files.isDirectory(child)) {
                    collect(child, wanted, found);
                } else if (wanted.test(child)) {
                    found.add(child);
                }
            }
        }
    }
}
