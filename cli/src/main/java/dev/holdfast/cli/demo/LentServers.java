package dev.holdfast.cli.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Real servers for a demonstration, started by the test rig of the repository in a process of its own and ended with it.
 * Used by one thread.
 */
final class LentServers implements AutoCloseable {
    private static final String CLASS_PATH_PROPERTY = "holdfast.rig";
    private static final String LENDER = "dev.holdfast.rig.Lender";

    private final Player lender;
    private final Map<String, String> urls;
    private final Map<String, String> missing;

    private LentServers(Player lender, Map<String, String> urls, Map<String, String> missing) {
        this.lender = lender;
        this.urls = urls;
        this.missing = missing;
    }

    /** {@return whether the repository is at hand; the launcher there has said where the rig is} */
    static boolean areAvailable() {
        return !System.getProperty(CLASS_PATH_PROPERTY, "").isEmpty();
    }

    /** Starts servers; some may be missing because they cannot run on this machine. */
    static LentServers start(String... kinds) throws InterruptedException {
        List<String> words = new ArrayList<>(List.of(LENDER));
        words.addAll(List.of(kinds));
        Player lender = Player.start(
                "the rig", false, true, System.getProperty(CLASS_PATH_PROPERTY, ""), words.toArray(String[]::new));
        Map<String, String> urls = new LinkedHashMap<>();
        Map<String, String> missing = new LinkedHashMap<>();
        try {
            for (String kind : kinds) {
                String[] answer = lender.expect(kind).split(" ", 2);
                (answer[0].equals("at") ? urls : missing).put(kind, answer[1]);
            }
            return new LentServers(lender, urls, missing);
        } catch (DemoException | InterruptedException failed) {
            lender.close();
            throw failed;
        }
    }

    Optional<String> url(String kind) {
        return Optional.ofNullable(urls.get(kind));
    }

    /** {@return why a server is missing} */
    String reason(String kind) {
        return missing.getOrDefault(kind, "not started");
    }

    /** {@return the rig's answer to an order that only it can carry out} */
    String ask(String order) throws InterruptedException {
        return lender.ask(order, order);
    }

    @Override
    public void close() {
        try {
            lender.dismiss();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            lender.close();
        }
    }
}
