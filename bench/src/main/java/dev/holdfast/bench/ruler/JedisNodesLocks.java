package dev.holdfast.bench.ruler;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;

/**
 * The floor of a lock on several nodes: one command to all of them and the answers of a majority to take it, and the same
 * to give it back. It cannot wait, cannot renew, has no token and undoes nothing. Used by one thread.
 */
final class JedisNodesLocks implements Locks {
    private static final String LEASE_MILLIS = "30000";

    private final List<Node> nodes = new ArrayList<>();

    JedisNodesLocks(List<String> addresses) {
        addresses.forEach(address -> nodes.add(new Node(HostAndPort.from(address))));
    }

    @Override
    public Mutex mutex(String name) {
        String owner = UUID.randomUUID().toString();
        return new Mutex() {
            @Override
            public void lock() {
                ask(new CommandArguments(Command.SET)
                        .add(name)
                        .add(owner)
                        .add("NX")
                        .add("PX")
                        .add(LEASE_MILLIS));
            }

            @Override
            public void unlock() {
                ask(new CommandArguments(Command.EVAL)
                        .add(JedisLocks.RELEASE)
                        .add("1")
                        .add(name)
                        .add(owner));
            }
        };
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
    }

    private void ask(CommandArguments command) {
        nodes.forEach(node -> node.send(command));
        for (Node node : nodes.subList(0, nodes.size() / 2 + 1)) {
            node.read();
        }
    }

    /** What it answers is read now, or before it is asked the next time. */
    private static final class Node extends Connection {
        private int owed;

        Node(HostAndPort address) {
            super(address);
        }

        void send(CommandArguments command) {
            while (owed > 1) {
                read();
            }
            sendCommand(command);
            flush();
            owed++;
        }

        void read() {
            while (owed > 0) {
                if (getOne() == null) {
                    throw new IllegalStateException("the floor cannot wait, and the lock is taken");
                }
                owed--;
            }
        }
    }
}
