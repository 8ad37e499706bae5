package dev.holdfast.zookeeper;

import java.util.List;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * How a store uses an ensemble.
 *
 * @param layout where its nodes are
 * @param mode how names are locked
 * @param acl for every node it makes; null for everything to the user of the session if there is one, and to the world
 *     only if there is none
 */
record Settings(Layout layout, Mode mode, @Nullable List<ACL> acl) {}
