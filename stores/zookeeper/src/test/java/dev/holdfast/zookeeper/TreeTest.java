package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockView;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.tls.Certificates;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import dev.holdfast.rig.zookeeper.ZooKeeperSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is written where, who may change it, and what happens at the ends of the server's numbers. */
final class TreeTest {
    private static final int MANY_NAMES = 6_000;
    private static final int NAMES_PER_REQUEST = 1_000;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(
                rig, ZooKeeperSettings.defaults().withProperty("znode.container.checkIntervalMs", "100"));
    }

    @Test
    void nothingOfANameIsLeftAfterItsUse() throws InterruptedException, KeeperException {
        try (Holdfast client = Holdfast.connect("zookeeper://" + node.address() + "/nothing");
                Tree tree = Tree.of(node)) {
            for (int i = 0; i < 20; i++) {
                client.lock("used/" + i + " é").acquire().close();
            }
            client.all("a", "b").acquire().close();
            client.lock(".").acquire().close();
            assertThat(tree.children("/nothing/locks")).isNotEmpty();

            Tree.await()
                    .untilAsserted(
                            () -> assertThat(tree.children("/nothing/locks")).isEmpty());
        }
    }

    @Test
    void moreNamesThanAReplyOfAMegabyteHoldsAreListed() throws InterruptedException, KeeperException {
        for (Mode mode : Mode.values()) {
            String base = "/listed-" + mode.word();
            try (Holdfast client = Holdfast.builder()
                            .url("zookeeper://" + node.address() + base + "#mode=" + mode.word())
                            .commandTimeout(Duration.ofSeconds(30))
                            .build();
                    Tree tree = Tree.of(node)) {
                addNames(tree, base);
                Lease held = client.lock("zzz").acquire();
                Lease several = client.lock("zzz-2").acquire();

                assertThat(client.list("", 10)).extracting(LockView::name).containsExactly("zzz", "zzz-2");
                assertThat(client.list("", 1)).extracting(LockView::name).containsExactly("zzz");
                assertThat(held.release() && several.release()).isTrue();
            }
        }
    }

    /** A reply that is too large would cost the program's own client its connection, and with it everything else on that. */
    @Test
    void moreNamesThanAReplyHoldsAreNotAskedForOnTheUsersClient() throws InterruptedException, KeeperException {
        for (Mode mode : Mode.values()) {
            String base = "/lent-" + mode.word();
            try (CuratorFramework curator = Tree.curatorOf(node);
                    Holdfast client = Holdfast.builder()
                            .store(ZooKeeperLocks.on(curator).withBase(base).withMode(mode))
                            .build();
                    Tree tree = Tree.of(node)) {
                Lease held = client.lock("held").acquire();
                assertThat(client.list("", 10)).extracting(LockView::name).containsExactly("held");
                addNames(tree, base);
                AtomicBoolean disturbed = new AtomicBoolean();
                curator.getConnectionStateListenable().addListener((listened, state) -> disturbed.set(true));

                assertThatThrownBy(() -> client.list("", 10))
                        .isInstanceOf(StoreMisconfiguredException.class)
                        .hasMessageContaining("jute.maxbuffer");
                assertThat(held.release()).isTrue();
                assertThat(client.lock("another").acquire().release()).isTrue();
                assertThat(disturbed).isFalse();
            }
        }
    }

    private static void addNames(Tree tree, String base) throws InterruptedException, KeeperException {
        for (int from = 0; from < MANY_NAMES; from += NAMES_PER_REQUEST) {
            tree.client()
                    .multi(IntStream.range(from, from + NAMES_PER_REQUEST)
                            .mapToObj(i -> Op.create(
                                    base + "/locks/" + i + "-" + "n".repeat(200),
                                    new byte[0],
                                    ZooDefs.Ids.OPEN_ACL_UNSAFE,
                                    CreateMode.PERSISTENT))
                            .toList());
        }
    }

    @Test
    void moreNamesThanARequestHoldsAreRefusedAndDisturbNobody() throws InterruptedException {
        String[] names =
                IntStream.range(0, 150).mapToObj(i -> "n".repeat(80) + i).toArray(String[]::new);
        try (Holdfast client = Holdfast.connect("zookeeper://" + node.address() + "/many")) {
            Lease held = client.lock("held").acquire();

            assertThatThrownBy(() -> client.all(names).tryAcquire())
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("take fewer names");
            Lease fewer = client.all(Arrays.copyOf(names, 50)).tryAcquire().orElseThrow();
            assertThat(fewer.release()).isTrue();
            assertThat(held.release()).isTrue();
        }
    }

    @Test
    void nodesOfAClientWithCredentialsBelongToItsUserAlone() throws InterruptedException, KeeperException {
        String url = "zookeeper://" + node.address() + "/private";
        try (Holdfast client = Holdfast.builder()
                        .url(url)
                        .credentials(Credentials.of("ada", "secret"))
                        .build();
                Tree tree = Tree.of(node)) {
            Lease lease = client.lock("mine").acquire();
            tree.client().addAuthInfo("digest", "ada:secret".getBytes(StandardCharsets.UTF_8));
            for (String path : List.of("/private", "/private/locks", "/private/locks/mine")) {
                assertThat(tree.client().getACL(path, new Stat()))
                        .as(path)
                        .extracting(ACL::getId)
                        .allMatch(id ->
                                id.getScheme().equals("digest") && id.getId().startsWith("ada:"));
            }
            assertThatThrownBy(() -> Holdfast.connect(url))
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("/private");
            assertThatThrownBy(() -> Holdfast.connect("zookeeper://ada:wrong@" + node.address() + "/private"))
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageNotContaining("wrong");
            try (Holdfast same = Holdfast.connect("zookeeper://ada:secret@" + node.address() + "/private")) {
                assertThat(same.lock("mine").tryAcquire()).isEmpty();
            }
            assertThat(lease.release()).isTrue();
        }
    }

    @Test
    void nodesAboveTheBaseAreNotMadePrivate() throws InterruptedException, KeeperException {
        String above = "zookeeper://ada:secret@" + node.address() + "/team-of-ada";
        try (Holdfast client = Holdfast.connect(above + "/app/holdfast");
                Holdfast stranger = Holdfast.connect("zookeeper://" + node.address() + "/team-of-ada/other");
                Tree tree = Tree.of(node)) {
            Lease lease = client.lock("mine").acquire();
            for (String path : List.of("/team-of-ada", "/team-of-ada/app")) {
                assertThat(tree.client().getACL(path, new Stat())).as(path).isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
            }
            assertThat(stranger.lock("mine").tryAcquire()).isPresent();
            assertThatThrownBy(() -> Holdfast.connect("zookeeper://" + node.address() + "/team-of-ada/app/holdfast"))
                    .isInstanceOf(StoreMisconfiguredException.class);
            assertThat(lease.release()).isTrue();
        }
    }

    @Test
    void clientOfTheUsersOwnIsUsedWithItsNamespaceAndUserAndIsNotClosed() throws Exception {
        try (CuratorFramework curator = CuratorFrameworkFactory.builder()
                .connectString(node.address())
                .namespace("team")
                .retryPolicy(new RetryOneTime(100))
                .authorization("digest", "grace:secret".getBytes(StandardCharsets.UTF_8))
                .build()) {
            curator.start();
            Lease lease;
            try (Holdfast client = Holdfast.builder()
                            .store(ZooKeeperLocks.on(curator).withBase("/locking"))
                            .build();
                    Tree tree = Tree.of(node)) {
                lease = client.lock("shared").acquire();
                tree.client().addAuthInfo("digest", "grace:secret".getBytes(StandardCharsets.UTF_8));
                assertThat(lease.isHeld()).isTrue();
                assertThat(tree.client().getACL("/team/locking/locks/shared", new Stat()))
                        .extracting(ACL::getId)
                        .noneMatch(ZooDefs.Ids.ANYONE_ID_UNSAFE::equals);
            }
            // The server removes an empty container on its own, perhaps before this look.
            Stat line = curator.checkExists().forPath("/locking/locks/shared");
            assertThat(line == null ? 0 : line.getNumChildren())
                    .as("what the closed client held")
                    .isZero();
        }
    }

    @Test
    void clientsOfOneBasePathMustAgreeOnTheModeAndTheFormat() throws InterruptedException, KeeperException {
        String base = "zookeeper://" + node.address();
        try (Holdfast fair = Holdfast.connect(base + "/agreed");
                Tree tree = Tree.of(node)) {
            fair.ping();
            assertThatThrownBy(() -> Holdfast.connect(base + "/agreed#mode=simple"))
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("mode");
            tree.client().create("/foreign", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            tree.client()
                    .create(
                            "/foreign/locks",
                            "mine".getBytes(StandardCharsets.UTF_8),
                            ZooDefs.Ids.OPEN_ACL_UNSAFE,
                            CreateMode.PERSISTENT);
            assertThatThrownBy(() -> Holdfast.connect(base + "/foreign"))
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("another program");
            Lease lease = fair.lock("newer").acquire();
            tree.client()
                    .create(
                            "/agreed/locks/newer/2eq-1-1-" + "0".repeat(32) + "-",
                            new byte[0],
                            ZooDefs.Ids.OPEN_ACL_UNSAFE,
                            CreateMode.EPHEMERAL_SEQUENTIAL);
            try (Holdfast other = Holdfast.connect(base + "/agreed")) {
                assertThatThrownBy(() -> other.lock("newer").tryAcquire())
                        .isInstanceOf(StoreMisconfiguredException.class)
                        .hasMessageContaining("newer");
            }
            assertThat(lease.release()).isTrue();
        }
    }

    @Test
    void badAddressesAndOptionsAreRefusedInWords() {
        for (String url : List.of(
                "zookeeper:",
                "zookeeper://",
                "zookeeper://host",
                "zookeeper://host:0",
                "zookeeper://host:99999",
                "zookeeper://host:1,",
                "zookeeper://host:1//x",
                "zookeeper://host:1/zookeeper",
                "zookeeper://host:1#mode=none",
                "zookeeper://host:1#session=5",
                "zookeeper://host:1#session=5h",
                "zookeeper://host:1#tls=yes",
                "zookeeper://host:1#trustStore=x",
                "zookeeper://user@host:1",
                "zookeeper://:secret@host:1")) {
            assertThatThrownBy(() -> Holdfast.connect(url))
                    .as(url)
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageMatching("(?s).{20,}")
                    .hasMessageNotContaining("secret");
        }
    }

    @Test
    void clientAndServerSpeakTls() throws InterruptedException {
        Certificates certificates = Certificates.forLocalhost(rig);
        useOverTls(secured(certificates), certificates);
    }

    @Test
    @Tag("full")
    void serverThatCannotProveWhoItIsIsNotTalkedTo() throws InterruptedException {
        Certificates certificates = Certificates.forLocalhost(rig);
        ZooKeeperNode secure = secured(certificates);
        useOverTls(secure, certificates);
        refusesOverTls(secure, Certificates.forLocalhost(rig), "signed by an authority that is not trusted");
        Certificates elsewhere = Certificates.forHost(rig, "elsewhere.example");
        refusesOverTls(secured(elsewhere), elsewhere, "signed for another host");
        useOverTls(secure, certificates);
    }

    private static ZooKeeperNode secured(Certificates certificates) throws InterruptedException {
        return ZooKeeperNode.start(rig, ZooKeeperSettings.defaults().withTls(certificates));
    }

    private static void useOverTls(ZooKeeperNode secure, Certificates trusted) throws InterruptedException {
        // The first handshake of a JVM loads half of the TLS library.
        try (Holdfast client = Holdfast.builder()
                .url(tlsUrl(secure, trusted))
                .commandTimeout(Duration.ofSeconds(30))
                .build()) {
            assertThat(client.lock("secured").acquire().release()).isTrue();
        }
    }

    /** The driver goes on trying for as long as the client has patience. */
    private static void refusesOverTls(ZooKeeperNode server, Certificates trusted, String why) {
        assertThatThrownBy(() -> Holdfast.builder()
                        .url(tlsUrl(server, trusted))
                        .commandTimeout(Duration.ofSeconds(4))
                        .build()
                        .close())
                .as(why)
                .isInstanceOf(StoreUnavailableException.class);
    }

    private static String tlsUrl(ZooKeeperNode secure, Certificates trusted) {
        return "zookeeper://localhost:" + secure.tlsAddress().substring("127.0.0.1:".length()) + "#tls=true&trustStore="
                + trusted.trustStore() + "&trustStorePassword=" + Certificates.TRUST_STORE_PASSWORD;
    }

    @Test
    void orderIsKeptWhereTheServersCounterEnds() throws InterruptedException, IOException {
        ZooKeeperNode own = ZooKeeperNode.start(rig);
        String url = "zookeeper://" + own.address() + "#session=20s";
        try (Holdfast client = Holdfast.connect(url)) {
            client.lock("worn").acquire().close();
        }
        own.stop();
        rewrite(own, tree -> {
            try {
                tree.setCversionPzxid("/holdfast/locks/worn", Integer.MAX_VALUE - 3, tree.lastProcessedZxid);
            } catch (KeeperException.NoNodeException gone) {
                throw new IllegalStateException(gone);
            }
        });
        own.start();
        List<Holdfast> clients = new ArrayList<>();
        try {
            List<CompletableFuture<Lease>> line = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                Holdfast client =
                        Holdfast.builder().url(url).clientName("worn-" + i).build();
                clients.add(client);
                line.add(client.lock("worn").acquireAsync());
                int entered = i;
                Tree.await()
                        .until(() -> client.inspect("worn")
                                .map(view ->
                                        view.holders().size() + view.waiters().size() == entered + 1)
                                .orElse(false));
            }
            LockView view = clients.get(0).inspect("worn").orElseThrow();
            assertThat(view.holders().stream().map(LockView.Holder::clientName)).containsExactly("worn-0");
            assertThat(view.waiters().stream().map(LockView.Waiter::clientName))
                    .containsExactlyElementsOf(
                            clients.stream().skip(1).map(Holdfast::clientName).toList());
            long last = 0;
            for (int i = 0; i < line.size(); i++) {
                Tree.await().until(line.get(i)::isDone);
                assertThat(line.subList(i + 1, line.size())).noneMatch(CompletableFuture::isDone);
                try (Lease lease = line.get(i).join()) {
                    assertThat(lease.token()).isGreaterThan(last);
                    last = lease.token();
                }
            }
            try (Lease fresh = clients.get(0).lock("worn").acquire()) {
                assertThat(fresh.token()).isGreaterThan(last);
            }
        } finally {
            clients.forEach(Holdfast::close);
        }
    }

    @Test
    void transactionsThatDoNotFitATokenAreRefusedLoudly() throws InterruptedException, IOException {
        ZooKeeperNode own = ZooKeeperNode.start(rig);
        own.stop();
        rewrite(own, tree -> tree.lastProcessedZxid = 1L << 51);
        own.start();
        try (Holdfast client = Holdfast.connect("zookeeper://" + own.address())) {
            assertThatThrownBy(() -> client.lock("late").tryAcquire())
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("leaders");
        }
    }

    /** Changes the tree of a server that is not running, by its own code. */
    private static void rewrite(ZooKeeperNode stopped, Consumer<DataTree> change) throws IOException {
        FileTxnSnapLog files =
                new FileTxnSnapLog(stopped.data().toFile(), stopped.data().toFile());
        ZKDatabase database = new ZKDatabase(files);
        try {
            database.loadDataBase();
            change.accept(database.getDataTree());
            files.save(database.getDataTree(), new ConcurrentHashMap<>(), true);
        } finally {
            database.close();
        }
    }
}
