package dev.holdfast.redis.redlock;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Address;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Encryption;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.spi.StoreUri;

/**
 * How one node of a quorum is reached.
 *
 * @param host where it is
 * @param address who logs in there, and whether that is encrypted
 * @param uri the options of its connections
 * @param access what the program says beside that
 */
public record NodeAccess(HostAndPort host, Address address, StoreUri uri, Access access) {
    public NodeAccess {
        Encryption encryption = access.encryption();
        if (encryption != null && encryption.context() == null) {
            throw new StoreMisconfiguredException("the nodes of a quorum need an SSLContext, not only a socket factory;"
                    + " give one with withTls(…)");
        }
    }

    ConnectionSettings settings(Settings settings) {
        return ConnectionSettings.of(address, settings, uri, access);
    }
}
