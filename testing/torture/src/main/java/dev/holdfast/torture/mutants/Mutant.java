package dev.holdfast.torture.mutants;

import dev.holdfast.StoreFactory;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;

/** A bug that is put between the engine and a real store. Test-only: nothing of it is in the library. */
public enum Mutant {
    /** A release ends whatever grant there is. */
    RELEASE_WITHOUT_OWNER_CHECK("P8", "P1", "P4", "P5"),
    /** Now and then a taken lock is granted once more. */
    GRANT_ALTHOUGH_TAKEN("P1"),
    /** A grant has the epoch of the grant before. */
    TOKEN_REPEATED("P3", "P4", "P7"),
    /** Epochs go down. */
    TOKEN_BACKWARDS("P4", "P5"),
    /** A holder believes ten times the lease that the store has given. */
    EXPIRY_BY_THE_CLIENTS_CLOCK("P1", "P10"),
    /** A renewal that found nothing, or was never answered, is reported as done. */
    LOSS_NOT_TOLD("P1", "P10", "P8"),
    /** Who gives up stays in line, or keeps the grant. */
    WITHDRAW_DROPPED("P12", "P14", "P18"),
    /** A release does nothing. */
    RELEASE_DROPPED("P12", "P14", "P18"),
    /** Nobody is told that it is their turn, and they are to ask again in ten minutes only. */
    WAKE_UP_LOST("P12"),
    /** More permits than there are. */
    CAPACITY_IGNORED("P15"),
    /** A taken lock is now and then reported as "cannot tell". */
    CONTENDED_AS_UNKNOWN("P16"),
    /** A timeout that is started again: a call takes four times as long as it may. */
    TIMEOUT_RESTARTED("P17"),
    /** A client that met an outage never works again. */
    NO_RECOVERY("P19", "P16");

    private final Set<String> properties;

    Mutant(String... properties) {
        this.properties = Set.of(properties);
    }

    /** {@return the properties that it breaks; a violation of one of them is how it is caught} */
    public Set<String> breaks() {
        return properties;
    }

    /** {@return whether it shows only where little else is broken, so that faults are no excuse} */
    public boolean showsInCalm() {
        return this == CONTENDED_AS_UNKNOWN;
    }

    /** {@return its name on the command line} */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Finds one.
     *
     * @param word its name on the command line
     * @return the mutant
     */
    public static Mutant named(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no mutant " + word + "; there are "
                        + Arrays.stream(values()).map(Mutant::word).toList()));
    }

    /**
     * Puts the bug over a real store.
     *
     * @param url of the store
     * @return opens the broken store
     */
    public StoreFactory over(String url) {
        return context -> {
            StoreContext changed =
                    this == WAKE_UP_LOST ? context.withListener(new DeafListener(context.listener())) : context;
            return new MutantStore(this, open(url, changed), changed);
        };
    }

    private static LockStore open(String url, StoreContext context) {
        StoreUri uri = StoreUri.parse(url, Map.of(), null);
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class)) {
            if (provider.schemes().contains(uri.scheme())) {
                return provider.open(uri, context);
            }
        }
        throw new IllegalArgumentException("no store opens " + uri);
    }
}
