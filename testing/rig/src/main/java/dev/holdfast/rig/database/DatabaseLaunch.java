package dev.holdfast.rig.database;

import dev.holdfast.rig.Directories;
import dev.holdfast.rig.Launch;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * How a database server is started: on a copy of the template, so that it does not have to be initialised each time.
 *
 * @param kind of server
 * @param options more settings, each {@code name=value}
 */
record DatabaseLaunch(DatabaseKind kind, List<String> options) implements Launch {
    DatabaseLaunch {
        options = List.copyOf(options);
        options.forEach(DatabaseLaunch::check);
    }

    @Override
    public List<String> prepare(Place place) throws IOException {
        try {
            Path data = data(place);
            if (!Files.exists(data)) {
                copy(kind.template(), data);
            }
            return kind.command(data, place.port(), options);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + kind.name() + " was made ready");
        }
    }

    @Override
    public boolean ready(Place place) throws IOException {
        return kind.ready(place.port());
    }

    @Override
    public void forget(Place place) throws IOException {
        Directories.delete(data(place));
    }

    @Override
    public String stopSignal() {
        return kind.stopSignal();
    }

    @Override
    public void bury(Place place) {
        kind.bury(data(place));
    }

    private static void check(String option) {
        if (!option.matches("[A-Za-z0-9_.-]+=.*")) {
            throw new IllegalArgumentException("a setting of a database server reads name=value, not " + option);
        }
    }

    private static Path data(Place place) {
        return place.directory().resolve("data");
    }

    private static void copy(Path template, Path target) throws IOException {
        List<Path> parentsFirst;
        try (Stream<Path> all = Files.walk(template)) {
            parentsFirst = all.toList();
        }
        for (Path path : parentsFirst) {
            Files.copy(path, target.resolve(template.relativize(path)), StandardCopyOption.COPY_ATTRIBUTES);
        }
    }
}
