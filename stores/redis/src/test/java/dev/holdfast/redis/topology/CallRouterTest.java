package dev.holdfast.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Connection;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Listening;
import dev.holdfast.redis.wire.Redirection;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerConnection;
import dev.holdfast.spi.ServerClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many deliveries at once to a few servers, most of which say nothing at all. */
final class CallRouterTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int SILENT = 12;

    /** With a thread for each silent server they would use up all threads. */
    private static final int DELIVERIES = 40;

    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<Server> servers = new ArrayList<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final ExecutorService callers = Executors.newCachedThreadPool();
    private final MemberThreads threads = new MemberThreads("router");
    private final CallRouter router = new CallRouter(new Members(), threads, BareClient::nanos, TIMEOUT);

    @AfterEach
    void close() {
        goOn.countDown();
        callers.shutdown();
        threads.close();
    }

    @Test
    void whatIsForAServerThatAnswersNeverWaitsForSilentOnes() {
        for (int i = 0; i < SILENT; i++) {
            servers.add(new Member(goOn));
        }
        servers.add(new Member(new CountDownLatch(0)));
        for (int i = 1; i <= DELIVERIES; i++) {
            int asked = i;
            callers.execute(() -> router.deliver(callToEach(), null));
            await().atMost(LIMIT).until(() -> answered.get() == asked);
        }
        assertThat(goOn.getCount()).as("the silent ones are still silent").isOne();
    }

    @Test
    void whoeverAsksPromptlyIsNotKeptByAnyNumberOfCallsThatHang() {
        for (int i = 0; i < SILENT; i++) {
            servers.add(new Member(goOn));
        }
        for (int i = 0; i < DELIVERIES; i++) {
            callers.execute(() -> router.deliver(callToEach(), null));
        }
        servers.add(new Member(new CountDownLatch(0)));
        for (int i = 0; i < DELIVERIES; i++) {
            List<Call> calls = callToEach();
            CompletableFuture<Void> prompt = CompletableFuture.runAsync(
                    () -> assertThat(router.deliverPromptly(calls, null, router.newDeadline(), Duration.ofMillis(1)))
                            .hasSize(SILENT)
                            .doesNotContain(calls.get(SILENT)),
                    callers);
            assertThat(prompt).succeedsWithin(LIMIT);
        }
        assertThat(goOn.getCount()).as("the silent ones are still silent").isOne();
    }

    /** One call for each server, in the order of the servers. */
    private List<Call> callToEach() {
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            calls.add(Call.of(Script.PING, Keys.bytes(String.valueOf((char) ('a' + i)))));
        }
        return calls;
    }

    /** Answers when it may. */
    private final class Member implements Server {
        private final CountDownLatch mayAnswer;

        Member(CountDownLatch mayAnswer) {
            this.mayAnswer = mayAnswer;
        }

        @Override
        public void carry(Exchange exchange) {
            boolean silent = mayAnswer.getCount() > 0;
            try {
                mayAnswer.await();
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
            }
            Exchange.carry(
                    new ServerConnection(new Echo(), where(), new ServerClock(BareClient::nanos)), List.of(exchange));
            if (!silent) {
                answered.incrementAndGet();
            }
        }

        @Override
        public Listening listen() {
            throw new UnsupportedOperationException("nobody listens here");
        }

        @Override
        public void forgetIdle() {
            // There are no connections.
        }

        @Override
        public String where() {
            return "a member";
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    private static final class Echo implements Connection {
        @Override
        public void send(Command verb, byte[]... arguments) {
            // Nobody looks at it.
        }

        @Override
        public Object receive() {
            return 1L;
        }

        @Override
        public void cut() {
            // There is nothing to cut.
        }
    }

    /** Finds servers by the first letter of a key. */
    private final class Members implements Deployment {
        @Override
        public boolean isCluster() {
            return true;
        }

        @Override
        public Route routeTo(byte[] key, Deadline deadline) {
            return new Route(servers.get(key[0] - 'a'), 0);
        }

        @Override
        public List<Server> masters(Deadline deadline) {
            return servers;
        }

        @Override
        public Server listeningPost(Deadline deadline) {
            return servers.get(0);
        }

        @Override
        public boolean isListeningPost(Server server) {
            return true;
        }

        @Override
        public Server follow(Redirection redirection, Server asked, Deadline deadline) {
            throw redirection;
        }

        @Override
        public void suspect(Server server) {
            // Nobody else could answer.
        }

        @Override
        public void beat() {
            // There is nothing to look for.
        }

        @Override
        public String failover() {
            return "none";
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }
}
