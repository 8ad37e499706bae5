package dev.holdfast.rig.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.tls.Certificates;
import java.io.IOException;
import java.time.Duration;
import javax.net.SocketFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class RedisTlsTest {
    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void speaksTlsOnly() throws InterruptedException, IOException {
        RedisNode redis = RedisNode.start(rig, RedisSettings.defaults().withTls(Certificates.forLocalhost(rig)));
        assertThat(redis.url()).startsWith("rediss://");
        assertThat(redis.ask("SET", "k", "v")).isEqualTo("OK");
        try (RespConnection plain =
                RespConnection.open(SocketFactory.getDefault(), redis.port(), Duration.ofSeconds(5))) {
            assertThatThrownBy(() -> plain.ask("PING")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void strangersAuthorityIsNotTrusted() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig, RedisSettings.defaults().withTls(Certificates.forLocalhost(rig)));
        Certificates strange = Certificates.forLocalhost(rig);
        assertThatThrownBy(() -> handshake(redis, strange, "localhost")).isInstanceOf(SSLException.class);
    }

    @Test
    void certificateIsGoodForItsHostOnly() throws InterruptedException, IOException {
        Certificates local = Certificates.forLocalhost(rig);
        handshake(RedisNode.start(rig, RedisSettings.defaults().withTls(local)), local, "localhost");

        Certificates other = Certificates.forHost(rig, "elsewhere.test");
        RedisNode redis = RedisNode.start(rig, RedisSettings.defaults().withTls(other));
        handshake(redis, other, "elsewhere.test");
        assertThatThrownBy(() -> handshake(redis, other, "localhost"))
                .isInstanceOf(SSLHandshakeException.class)
                .hasMessageContaining("localhost");
    }

    /** As a client does that looks at the server's name. */
    private static void handshake(RedisNode redis, Certificates trusted, String host) throws IOException {
        SocketFactory plain = SocketFactory.getDefault();
        try (SSLSocket socket = (SSLSocket) trusted.clientContext()
                .getSocketFactory()
                .createSocket(plain.createSocket("127.0.0.1", redis.port()), host, redis.port(), true)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
        }
    }
}
