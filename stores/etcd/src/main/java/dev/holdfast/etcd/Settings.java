package dev.holdfast.etcd;

import java.time.Duration;

/**
 * How a store is set up.
 *
 * @param layout where its keys are
 * @param session how long a lease of etcd lives without a keep-alive
 */
record Settings(Layout layout, Duration session) {}
