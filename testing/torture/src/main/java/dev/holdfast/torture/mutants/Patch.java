package dev.holdfast.torture.mutants;

/**
 * One textual change of one source file or script.
 *
 * @param module the directory of its module
 * @param file below the sources or the resources of the module
 * @param find the text to change; it must stand there exactly once
 * @param replace what to put in its place
 */
record Patch(String module, String file, String find, String replace) {
    static Patch engine(String type, String find, String replace) {
        return new Patch("core", "dev/holdfast/engine/" + type + ".java", find, replace);
    }

    static Patch file(String type, String find, String replace) {
        return new Patch("core", "dev/holdfast/store/file/" + type + ".java", find, replace);
    }

    static Patch script(String name, String find, String replace) {
        return new Patch("stores/redis", "dev/holdfast/redis/" + name + ".lua", find, replace);
    }

    static Patch redlock(String type, String find, String replace) {
        return new Patch("stores/redis", "dev/holdfast/redis/redlock/" + type + ".java", find, replace);
    }

    static Patch jdbc(String type, String find, String replace) {
        return new Patch("stores/jdbc", "dev/holdfast/jdbc/lease/" + type + ".java", find, replace);
    }

    static Patch zookeeper(String type, String find, String replace) {
        return new Patch("stores/zookeeper", "dev/holdfast/zookeeper/" + type + ".java", find, replace);
    }

    static Patch etcd(String type, String find, String replace) {
        return new Patch("stores/etcd", "dev/holdfast/etcd/" + type + ".java", find, replace);
    }

    boolean isJava() {
        return file.endsWith(".java");
    }

    /** Applies the change, or tells that it does not fit the source any more. */
    String apply(String source) {
        int place = source.indexOf(find);
        if (place < 0 || source.indexOf(find, place + 1) >= 0) {
            throw new IllegalArgumentException("'" + find + "' must stand exactly once in " + module + "/" + file
                    + ", but stands there " + (place < 0 ? "not at all" : "several times"));
        }
        return source.substring(0, place) + replace + source.substring(place + find.length());
    }
}
