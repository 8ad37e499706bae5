package dev.holdfast.etcd;

import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Has the virtual machine load gRPC before the first call. That takes most of a second of processor time; in a small
 * container it would use up the time that the first call has for its server, which would be called silent.
 */
final class Loading {
    private static final int NOBODY = 0;

    /** The call below ends at once; this is for the case that it should not. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private Loading() {}

    /** Makes one call, on this machine, to a port at which nobody can listen; only the first time. */
    static void done() {
        Once.load();
    }

    private static final class Once {
        static {
            callNobody();
        }

        private static void load() {
            // The class is initialised by now.
        }
    }

    private static void callNobody() {
        TxnRequest request = TxnRequest.newBuilder()
                .addCompare(Compare.newBuilder().setVersion(1))
                .addSuccess(RequestOp.newBuilder()
                        .setRequestPut(PutRequest.newBuilder().setLease(1)))
                .build();
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("holdfast-etcd-loading", true), NioIoHandler.newFactory());
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), NOBODY))
                .eventLoopGroup(loop)
                .channelType(NioSocketChannel.class)
                .directExecutor()
                .usePlaintext()
                .build();
        try {
            MethodDescriptor<TxnRequest, TxnResponse> method = KVGrpc.getTxnMethod();
            method.parseResponse(method.streamResponse(TxnResponse.getDefaultInstance()));
            ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT.withDeadlineAfter(LONGEST), request);
        } catch (StatusRuntimeException nobodyThere) {
            // As it should be; and if it was something else, the first call to a server will tell.
        } finally {
            end(channel);
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    /** A channel that outlives its threads complains in the log. */
    private static void end(ManagedChannel channel) {
        channel.shutdownNow();
        try {
            channel.awaitTermination(LONGEST.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
