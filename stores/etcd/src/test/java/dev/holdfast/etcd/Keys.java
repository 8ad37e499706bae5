package dev.holdfast.etcd;

import dev.holdfast.rig.etcd.EtcdNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Somebody who looks at the keys of a store by hand, and changes them. */
record Keys(EtcdNode node, String prefix) {
    private static final Pattern ENTRY =
            Pattern.compile("\"key\":\"([^\"]+)\",\"create_revision\":\"([0-9]+)\"[^}]*?\"lease\":\"([0-9-]+)\"");

    /** One key. */
    record Entry(String key, long revision, String lease) {}

    /** The line of a name, oldest first. */
    List<Entry> line(String name) {
        String answer = node.ask(
                "/v3/kv/range",
                "{\"key\":\"" + EtcdNode.encoded(prefix + "/lock/" + name + "\0") + "\",\"range_end\":\""
                        + EtcdNode.encoded(prefix + "/lock/" + name + "\1")
                        + "\",\"sort_target\":\"CREATE\",\"sort_order\":\"ASCEND\",\"keys_only\":true}");
        List<Entry> entries = new ArrayList<>();
        Matcher found = ENTRY.matcher(answer);
        while (found.find()) {
            String key = new String(Base64.getDecoder().decode(found.group(1)), StandardCharsets.UTF_8);
            entries.add(new Entry(key, Long.parseLong(found.group(2)), found.group(3)));
        }
        return entries;
    }

    void delete(Entry entry) {
        node.ask("/v3/kv/deleterange", "{\"key\":\"" + EtcdNode.encoded(entry.key()) + "\"}");
    }

    /** Ends a session, as the server would if it had not heard of it for too long. */
    void revoke(Entry entry) {
        node.ask("/v3/lease/revoke", "{\"ID\":\"" + entry.lease() + "\"}");
    }
}
