package dev.holdfast.redis.wire;

import dev.holdfast.StoreMisconfiguredException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.Connection;

/** Refuses a Jedis that lacks what is needed, before it fails in the middle of something. */
public final class JedisVersion {
    private static final int LEAST_MAJOR = 7;
    private static final int LEAST_MINOR = 4;
    private static final Pattern FORM = Pattern.compile("(\\d+)\\.(\\d+)\\..*");

    private JedisVersion() {}

    public static void check() {
        try (InputStream in = Connection.class.getResourceAsStream("pom.properties")) {
            if (in != null) {
                Properties properties = new Properties();
                properties.load(in);
                check(properties.getProperty("version", ""));
            }
        } catch (IOException unreadable) {
            throw new StoreMisconfiguredException("the version of Jedis on the class path cannot be read", unreadable);
        }
    }

    public static void check(String version) {
        Matcher form = FORM.matcher(version);
        if (form.matches()) {
            int major = Integer.parseInt(form.group(1));
            if (major < LEAST_MAJOR || (major == LEAST_MAJOR && Integer.parseInt(form.group(2)) < LEAST_MINOR)) {
                throw new StoreMisconfiguredException("Jedis " + version + " is on the class path, but holdfast-redis"
                        + " needs " + LEAST_MAJOR + "." + LEAST_MINOR + " or later");
            }
        }
    }
}
