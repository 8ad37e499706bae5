import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * Compares the licences of all libraries that the release needs with those that are allowed, and the jars that the command line
 * passes on with NOTICE.
 *
 * <p>Usage: {@code java Licences.java NOTICE LIB-DIRECTORY SBOM...} with CycloneDX files in XML. The exit status is 1 if there
 * is anything to object to.
 */
final class Licences {
    /** How NOTICE spells a licence, by what an SBOM calls it. A library under one of these may be used and passed on. */
    private static final Map<String, String> ALLOWED = new TreeMap<>(Map.ofEntries(
            Map.entry("Apache-2.0", "Apache License, Version 2.0"),
            Map.entry("MIT", "MIT License"),
            Map.entry("MIT-0", "MIT No Attribution"),
            Map.entry("CC0-1.0", "Creative Commons Zero"),
            Map.entry("BSD-2-Clause", "BSD 2-Clause License"),
            Map.entry("BSD-3-Clause", "BSD 3-Clause License"),
            Map.entry("LGPL-2.1-or-later", "GNU Lesser General Public License 2.1 or later"),
            Map.entry("LGPL-2.1-only", "GNU Lesser General Public License 2.1 or later"),
            Map.entry("LGPL-2.1", "GNU Lesser General Public License 2.1 or later"),
            Map.entry("LGPL-2.1+", "GNU Lesser General Public License 2.1 or later"),
            Map.entry("MPL-2.0", "Mozilla Public License 2.0"),
            Map.entry("EPL-1.0", "Eclipse Public License 1.0"),
            Map.entry("EPL-2.0", "Eclipse Public License 2.0"),
            Map.entry("Public Domain", "public domain"),
            Map.entry("Public-Domain", "public domain")));

    /** The name in NOTICE, by the longest prefix of {@code group:name} that is listed. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("info.picocli:", "picocli"),
            Map.entry("org.apache.curator:", "Apache Curator"),
            Map.entry("org.apache.zookeeper:", "Apache ZooKeeper"),
            Map.entry("io.netty:", "Netty"),
            Map.entry("commons-io:", "Apache Commons"),
            Map.entry("org.apache.commons:", "Apache Commons"),
            Map.entry("org.apache.yetus:", "Apache Yetus annotations"),
            Map.entry("com.google.guava:", "Guava"),
            Map.entry("com.google.code.gson:", "Gson"),
            Map.entry("io.etcd:", "jetcd"),
            Map.entry("io.grpc:", "gRPC"),
            Map.entry("io.perfmark:", "PerfMark"),
            Map.entry("com.google.api.grpc:", "Google common protos"),
            Map.entry("com.google.errorprone:", "Error Prone annotations"),
            Map.entry("com.google.j2objc:", "J2ObjC annotations"),
            Map.entry("com.google.code.findbugs:jsr305:", "JSR 305 annotations"),
            Map.entry("redis.clients:", "Jedis"),
            Map.entry("redis.clients.authentication:", "Redis authx"),
            Map.entry("org.slf4j:", "SLF4J"),
            Map.entry("org.codehaus.mojo:animal-sniffer-annotations:", "Animal Sniffer annotations"),
            Map.entry("org.checkerframework:", "Checker Framework annotations"),
            Map.entry("org.json:", "JSON in Java (org.json)"),
            Map.entry("org.jline:", "JLine"),
            Map.entry("com.google.protobuf:", "Protocol Buffers"),
            Map.entry("org.postgresql:", "PostgreSQL JDBC driver"),
            Map.entry("org.mariadb.jdbc:", "MariaDB Connector/J"),
            Map.entry("com.h2database:", "H2 Database Engine"));

    /** What an SBOM gets wrong: JLine's pom names "The BSD License" and links to the one with three clauses. */
    private static final Map<String, String> CORRECTED = Map.of("org.jline:", "BSD-3-Clause");

    private final List<String> objections = new ArrayList<>();
    private final Map<String, List<String>> licences = new TreeMap<>();

    public static void main(String[] arguments) throws Exception {
        Licences check = new Licences();
        for (String sbom : Arrays.asList(arguments).subList(2, arguments.length)) {
            check.read(Path.of(sbom));
        }
        check.lookAtLicences();
        int jars = check.compareWithNotice(Path.of(arguments[0]), Path.of(arguments[1]));
        check.objections.forEach(objection -> System.out.println("   " + objection));
        if (!check.objections.isEmpty()) {
            System.exit(1);
        }
        System.out.printf(
                "   %d libraries have licences that are allowed; NOTICE names all %d jars that are passed on%n",
                check.licences.size(), jars);
    }

    /** Adds the libraries of one SBOM, by {@code group:name:version}. */
    private void read(Path sbom) throws Exception {
        Element root = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(sbom.toFile())
                .getDocumentElement();
        for (Element component : children(child(root, "components"), "component")) {
            String group = text(component, "group");
            if (group.equals("dev.holdfast")) {
                continue;
            }
            List<String> found = new ArrayList<>();
            Element all = child(component, "licenses");
            for (Element licence : children(all, "license")) {
                String id = text(licence, "id");
                found.add(id.isEmpty() ? text(licence, "name") : id);
            }
            for (Element expression : children(all, "expression")) {
                found.addAll(List.of(expression.getTextContent().strip().split("\\s+OR\\s+")));
            }
            CORRECTED.forEach((prefix, licence) -> {
                if ((group + ":").equals(prefix)) {
                    found.clear();
                    found.add(licence);
                }
            });
            licences.put(group + ":" + text(component, "name") + ":" + text(component, "version"), found);
        }
    }

    /** Of several licences one may be chosen. */
    private void lookAtLicences() {
        licences.forEach((library, found) -> {
            if (found.stream().noneMatch(ALLOWED::containsKey)) {
                objections.add(library + " has the licence " + (found.isEmpty() ? "(none is named)" : found)
                        + ", which is not allowed in build-tools/Licences.java");
            }
        });
    }

    private int compareWithNotice(Path notice, Path directory) throws IOException {
        Map<String, String> listed = listed(Files.readAllLines(notice));
        TreeSet<String> used = new TreeSet<>();
        int jars = 0;
        try (Stream<Path> files = Files.list(directory)) {
            for (File jar : files.map(Path::toFile).sorted().toList()) {
                if (!jar.getName().startsWith("holdfast-")) {
                    jars++;
                    lookAt(jar.getName(), listed, used);
                }
            }
        }
        for (String name : listed.keySet()) {
            if (!used.contains(name)) {
                objections.add("NOTICE names " + name + ", but no jar of it is passed on");
            }
        }
        return jars;
    }

    private void lookAt(String jar, Map<String, String> listed, TreeSet<String> used) {
        String library = licences.keySet().stream()
                .filter(candidate -> isJarOf(jar, candidate))
                .findFirst()
                .orElse(null);
        if (library == null) {
            objections.add(jar + " is passed on, but no SBOM has it");
            return;
        }
        String name = NAMES.entrySet().stream()
                .filter(entry -> library.startsWith(entry.getKey()))
                .max((one, other) ->
                        Integer.compare(one.getKey().length(), other.getKey().length()))
                .map(Map.Entry::getValue)
                .orElse(null);
        if (name == null || !listed.containsKey(name)) {
            objections.add(library + " is passed on under " + licences.get(library) + ", but NOTICE does not name "
                    + (name == null ? "it (nor does build-tools/Licences.java)" : name));
            return;
        }
        used.add(name);
        String says = listed.get(name);
        if (licences.get(library).stream().noneMatch(id -> says.contains(ALLOWED.getOrDefault(id, "?")))) {
            objections.add(
                    "NOTICE says that " + name + " is under " + says + ", its SBOM says " + licences.get(library));
        }
    }

    private static boolean isJarOf(String jar, String library) {
        String[] parts = library.split(":", -1);
        return jar.matches("\\Q" + parts[1] + "-" + parts[2] + "\\E(-.*)?\\.jar");
    }

    /** What NOTICE lists: indented, names on the left, separated by commas, and their licence on the right. */
    private static Map<String, String> listed(List<String> lines) {
        Map<String, String> listed = new LinkedHashMap<>();
        String licence = "";
        for (String line : lines) {
            if (!line.startsWith("  ")) {
                continue;
            }
            String[] columns = line.strip().split("\\s{2,}");
            licence = columns.length > 1 ? columns[1] : licence;
            for (String name : columns[0].split(",", -1)) {
                if (!name.isBlank()) {
                    listed.put(name.strip(), licence);
                }
            }
        }
        return listed;
    }

    private static Element child(Element parent, String name) {
        List<Element> found = children(parent, name);
        return found.isEmpty() ? null : found.get(0);
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        NodeList nodes = parent == null ? null : parent.getChildNodes();
        for (int i = 0; nodes != null && i < nodes.getLength(); i++) {
            Node node = nodes.item(i);
            if (node instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }

    private static String text(Element parent, String name) {
        Element child = child(parent, name);
        return child == null ? "" : child.getTextContent().strip();
    }
}
