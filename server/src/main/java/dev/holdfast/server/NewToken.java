package dev.holdfast.server;

import dev.holdfast.server.api.AccessRules;

/**
 * A token that was just made for a client.
 *
 * @param token the token, for the client; it is nowhere else
 * @param line the line for the access file, see {@link ServerOptions#withAccess}
 */
public record NewToken(String token, String line) {

    /**
     * Makes a token.
     *
     * @param client the client's name
     * @param roles what it may do: some of look, lock and evict, separated by commas
     * @param prefixes what the names that it may use begin with, separated by commas; {@code *} for all
     * @return the token, and the line for the file
     * @throws IllegalArgumentException if one of them is malformed
     */
    public static NewToken make(String client, String roles, String prefixes) {
        return AccessRules.newToken(client, roles, prefixes);
    }

    /** Does not show the token. */
    @Override
    public String toString() {
        return "NewToken[" + line + "]";
    }
}
