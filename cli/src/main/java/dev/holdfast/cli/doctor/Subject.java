package dev.holdfast.cli.doctor;

import dev.holdfast.Credentials;
import dev.holdfast.cli.store.Settings;
import dev.holdfast.cli.store.StoreChoice;
import dev.holdfast.spi.StoreUri;
import java.util.Map;

/**
 * The store that is examined. Does not show secrets.
 *
 * @param uri its URL taken apart, with the credentials that count
 * @param choice how it was chosen
 */
record Subject(StoreUri uri, StoreChoice choice) {
    /** As long as one server may take to answer one question. */
    static final int TIMEOUT_MILLIS = 3_000;

    static Subject of(StoreChoice choice) {
        String password = System.getenv().getOrDefault(Settings.Key.PASSWORD.variable(), "");
        Credentials credentials = password.isEmpty() ? choice.credentials() : Credentials.ofPassword(password);
        return new Subject(StoreUri.parse(choice.driverUrl(), Map.of(), credentials), choice);
    }
}
