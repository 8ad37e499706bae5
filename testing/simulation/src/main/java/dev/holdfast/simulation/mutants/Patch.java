package dev.holdfast.simulation.mutants;

/**
 * One textual change of one source file.
 *
 * @param file the file, below the source folder of core
 * @param find the text to change; it must stand there exactly once
 * @param replace what to put in its place
 */
record Patch(String file, String find, String replace) {

    static Patch engine(String type, String find, String replace) {
        return new Patch("dev/holdfast/engine/" + type + ".java", find, replace);
    }

    static Patch table(String find, String replace) {
        return new Patch("dev/holdfast/store/table/LockTable.java", find, replace);
    }

    /** Applies the change, or tells that it does not fit the source any more. */
    String apply(String source) {
        int place = source.indexOf(find);
        if (place < 0 || source.indexOf(find, place + 1) >= 0) {
            throw new StaleMutantException("'" + find + "' must stand exactly once in " + file + ", but stands there "
                    + (place < 0 ? "not at all" : "several times"));
        }
        return source.substring(0, place) + replace + source.substring(place + find.length());
    }
}
