package dev.holdfast.rig.etcd;

import dev.holdfast.rig.tls.Certificates;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an etcd server is set up. Immutable; every {@code with…} method returns a changed copy.
 *
 * @param certificates if clients must speak TLS; or null
 * @param clientsNeedCertificates whether clients have to show one of the same authority
 * @param flags further arguments of the server
 */
public record EtcdSettings(@Nullable Certificates certificates, boolean clientsNeedCertificates, List<String> flags) {
    /** Copies the list. */
    public EtcdSettings {
        flags = List.copyOf(flags);
    }

    /** {@return as etcd is by default, without TLS} */
    public static EtcdSettings defaults() {
        return new EtcdSettings(null, false, List.of());
    }

    /**
     * Asks for TLS.
     *
     * @param made shown to clients
     * @param ofClientsToo whether clients have to show one, too
     * @return the changed copy
     */
    public EtcdSettings withTls(Certificates made, boolean ofClientsToo) {
        return new EtcdSettings(made, ofClientsToo, flags);
    }

    /**
     * Adds an argument.
     *
     * @param flag for example {@code --quota-backend-bytes=1048576}
     * @return the changed copy
     */
    public EtcdSettings withFlag(String flag) {
        List<String> all = new ArrayList<>(flags);
        all.add(flag);
        return new EtcdSettings(certificates, clientsNeedCertificates, all);
    }
}
