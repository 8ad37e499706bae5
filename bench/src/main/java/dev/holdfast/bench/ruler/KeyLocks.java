package dev.holdfast.bench.ruler;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;

/**
 * The floor on etcd: one key with a lease is put and deleted, by gRPC's blocking stub. It cannot wait and has no token, and
 * the lease is not kept alive because it outlives the benchmark.
 */
final class KeyLocks implements Locks {
    private static final long LEASE_SECONDS = 3_600;

    private final ManagedChannel channel;
    private final KVGrpc.KVBlockingStub keys;
    private final long lease;

    KeyLocks(String server) {
        channel = NettyChannelBuilder.forTarget(server).usePlaintext().build();
        keys = KVGrpc.newBlockingStub(channel);
        lease = LeaseGrpc.newBlockingStub(channel)
                .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(LEASE_SECONDS).build())
                .getID();
    }

    @Override
    public Mutex mutex(String name) {
        ByteString key = ByteString.copyFromUtf8("bare/" + name);
        PutRequest put = PutRequest.newBuilder().setKey(key).setLease(lease).build();
        DeleteRangeRequest delete = DeleteRangeRequest.newBuilder().setKey(key).build();
        return new Mutex() {
            @Override
            public void lock() {
                keys.put(put);
            }

            @Override
            public void unlock() {
                if (keys.deleteRange(delete).getDeleted() != 1) {
                    throw new IllegalStateException("it was not held");
                }
            }
        };
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
