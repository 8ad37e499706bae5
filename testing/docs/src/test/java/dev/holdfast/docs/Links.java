package dev.holdfast.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The links of pages: to files that are there, and to headings that are there, named as GitHub names them. */
final class Links {
    private static final Pattern LINK =
            Pattern.compile("\\]\\(([^()\\s]+)\\)|<(?:img|source)[^>]*src(?:set)?=\"([^\"]+)\"");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?)(?: +#+)?");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    private Links() {}

    /** {@return where the links of a page lead, each with its line} */
    static List<Map.Entry<Integer, String>> of(Page page) {
        List<Map.Entry<Integer, String>> links = new ArrayList<>();
        for (int i = 0; i < page.prose().size(); i++) {
            Matcher link = LINK.matcher(Page.withoutCode(page.prose().get(i)));
            while (link.find()) {
                links.add(Map.entry(i + 1, link.group(1) == null ? link.group(2) : link.group(1)));
            }
        }
        return links;
    }

    static List<String> broken(Page page) throws IOException {
        List<String> broken = new ArrayList<>();
        for (Map.Entry<Integer, String> link : of(page)) {
            String target = link.getValue();
            if (!ELSEWHERE.matcher(target).matches() && !leadsSomewhere(page, target)) {
                broken.add(page.name() + ":" + link.getKey() + ": " + target + " leads nowhere");
            }
        }
        return broken;
    }

    private static boolean leadsSomewhere(Page page, String target) throws IOException {
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file =
                path.isEmpty() ? page.file() : page.file().resolveSibling(path).normalize();
        if (!path.isEmpty() && !Files.exists(file)) {
            return false;
        }
        if (hash < 0) {
            return true;
        }
        Page there = path.isEmpty() ? page : Page.of(file, path, Files.readString(file));
        return anchors(there).contains(target.substring(hash + 1));
    }

    static Set<String> anchors(Page page) {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        for (String line : page.prose()) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                String slug = slug(heading.group(1));
                int before = seen.merge(slug, 1, Integer::sum) - 1;
                anchors.add(before == 0 ? slug : slug + "-" + before);
            }
        }
        return anchors;
    }

    private static String slug(String heading) {
        return heading.replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{M}\\p{N}_ -]", "")
                .replace(' ', '-');
    }
}
