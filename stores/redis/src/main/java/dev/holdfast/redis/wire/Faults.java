package dev.holdfast.redis.wire;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLException;

/** Tells what cannot be told from what cannot work, by the word that the server's refusal begins with. */
public final class Faults {
    /** A server quotes the arguments of a command it does not know, and those of AUTH are secrets. */
    private static final String QUOTED_ARGUMENTS = ", with args beginning with:";

    private static final List<String> REFUSED_CERTIFICATE = List.of(
            "certificate_required", "bad_certificate", "unknown_ca", "certificate_unknown", "certificate_expired");

    /** What is wrong, and what to do; trying again cannot help. */
    private enum Misconfiguration {
        PASSWORD(
                List.of("WRONGPASS", "NOAUTH", "ERR invalid password", "ERR Client sent AUTH", "ERR AUTH <password>"),
                "Redis refused the user or password; check them"),
        PERMISSION(
                List.of("NOPERM"),
                "the Redis user may not do what locks need; docs/stores/redis.md lists the permissions"),
        DATABASE(
                List.of("ERR DB index", "ERR invalid DB index", "ERR SELECT is not allowed"),
                "Redis does not have the database that the URL names"),
        CLUSTER(
                List.of("ERR This instance has cluster support disabled", "CROSSSLOT"),
                "the URL and the server do not agree on whether it is a cluster"),
        KEY(List.of("WRONGTYPE"), "a key of the lock holds something that is not Holdfast's; choose another prefix"),
        SENTINEL(List.of("ERR No such master"), "the sentinels do not know a master of that name"),
        VERSION(
                List.of("ERR unknown command", "ERR Unknown Redis command", "ERR syntax error"),
                "Redis does not know a command that locks need; Redis 6.2 or later is needed, with no command renamed");

        private final List<String> beginnings;
        private final String advice;

        Misconfiguration(List<String> beginnings, String advice) {
            this.beginnings = beginnings;
            this.advice = advice;
        }
    }

    private Faults() {}

    /** Makes the exception for a failed call. */
    public static HoldfastException of(String operation, String lockName, RuntimeException failure) {
        if (failure instanceof HoldfastException known) {
            return known;
        }
        if (failure instanceof ServerRefusal refused) {
            return of(operation, lockName, refused);
        }
        if (isUntrusted(failure)) {
            return new StoreMisconfiguredException(
                    "the server's certificate is not trusted, or not for that host; the option '"
                            + TlsSettings.AUTHORITY + "' names the authority that signed it",
                    failure);
        }
        if (isRefusedCertificate(failure)) {
            return new StoreMisconfiguredException(
                    "the server refused the client's certificate, or there was none; the options '"
                            + TlsSettings.CERTIFICATE + "' and '" + TlsSettings.KEY + "' name one",
                    failure);
        }
        return new StoreUnavailableException(operation, lockName, failure);
    }

    /** Java has no type for what the other side says about our certificate, only its name in a message. */
    private static boolean isRefusedCertificate(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String said = String.valueOf(cause.getMessage());
            if (cause instanceof SSLException && REFUSED_CERTIFICATE.stream().anyMatch(said::contains)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isUntrusted(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return true;
            }
        }
        return false;
    }

    private static HoldfastException of(String operation, String lockName, ServerRefusal refused) {
        String said = said(refused);
        for (Misconfiguration known : Misconfiguration.values()) {
            for (String beginning : known.beginnings) {
                if (said.toLowerCase(Locale.ROOT).startsWith(beginning.toLowerCase(Locale.ROOT))) {
                    return new StoreMisconfiguredException(known.advice + " (it says: " + said + ")");
                }
            }
        }
        return new StoreUnavailableException(operation, lockName, new ServerRefusal(said));
    }

    /** Whether a server refused because it is not the master any more. */
    public static boolean isFromReplica(ServerRefusal refused) {
        String said = said(refused);
        return said.startsWith("READONLY") || said.startsWith("MASTERDOWN") || said.startsWith("UNBLOCKED");
    }

    /** Whether a server refused because a slot is on the move and one of its keys is elsewhere. */
    public static boolean isOnTheMove(ServerRefusal refused) {
        return isTornName(refused) || said(refused).contains("attempted to access a non local key");
    }

    /** Whether a script refused because not all keys of a name are there; it has done nothing. */
    public static boolean isTornName(ServerRefusal refused) {
        return said(refused).startsWith("TRYAGAIN");
    }

    public static boolean isUnknownScript(ServerRefusal refused) {
        return said(refused).startsWith("NOSCRIPT");
    }

    /** What the server said, without secrets, and with the word first that matters also where a script was running. */
    private static String said(ServerRefusal refused) {
        String said = String.valueOf(refused.getMessage());
        int quoted = said.indexOf(QUOTED_ARGUMENTS);
        said = quoted < 0 ? said : said.substring(0, quoted);
        // Before Redis 7, the error of a command in a script stood behind the script's own.
        int inner = said.startsWith("ERR Error running script") ? said.indexOf(": -") : -1;
        return inner < 0 ? said : said.substring(inner + 3);
    }
}
