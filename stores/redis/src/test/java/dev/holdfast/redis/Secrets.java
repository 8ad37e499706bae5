package dev.holdfast.redis;

/** The password of all tests, which must not show in any output. {@code SecretsStaySecretTest} looks for it. */
public final class Secrets {
    public static final String CANARY = "canary-7f3a91c2";

    private Secrets() {}
}
