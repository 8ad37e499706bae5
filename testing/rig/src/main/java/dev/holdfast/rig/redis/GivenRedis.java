package dev.holdfast.rig.redis;

import dev.holdfast.rig.Rig;
import java.net.URI;

/** A single server for tests that only talk to it. */
public final class GivenRedis {
    /** The environment variable that names a server to use instead of starting one. */
    public static final String ENVIRONMENT = "HOLDFAST_TEST_REDIS";

    private GivenRedis() {}

    /**
     * Tells where to find a server: the one that {@value #ENVIRONMENT} names, or one that is started. Tests that stop or
     * pause their server, or look into it, start one of their own with {@link RedisNode}.
     *
     * @param rig in which one is started
     * @return its URL
     * @throws InterruptedException if interrupted
     * @throws IllegalArgumentException if the variable is set to something else than a URL of Redis
     */
    public static String url(Rig rig) throws InterruptedException {
        String given = System.getenv(ENVIRONMENT);
        return given == null || given.isBlank() ? RedisNode.start(rig).url() : checked(given);
    }

    static String checked(String given) {
        String scheme = URI.create(given).getScheme();
        if (!"redis".equals(scheme) && !"rediss".equals(scheme)) {
            throw new IllegalArgumentException(ENVIRONMENT + " must be a URL that begins with redis:// or rediss://");
        }
        return given;
    }
}
