package dev.holdfast.tck.tcp;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Opens {@code tcktest://host:port}. */
public final class TcpStoreProvider implements StoreProvider {
    private static final Pattern ADDRESS = Pattern.compile("//([^:/]+):(\\d{1,5})");

    /** Made by {@link java.util.ServiceLoader}. */
    public TcpStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("tcktest");
    }

    @Override
    public Set<String> options() {
        return Set.of();
    }

    @Override
    public LockStore open(StoreUri uri, StoreContext context) {
        Matcher address = ADDRESS.matcher(uri.path());
        if (!address.matches()) {
            throw new StoreMisconfiguredException("write tcktest://host:port");
        }
        return new TcpStore(new InetSocketAddress(address.group(1), Integer.parseInt(address.group(2))), context);
    }
}
