package dev.holdfast.server.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a reverse proxy does for a page that uses the JavaScript client: it serves the page's own files, and passes {@code /v1/} on to the
 * server, byte by byte and with the browser's {@code Host}. So the page and the server have one origin.
 */
final class SharedOrigin implements AutoCloseable {
    private static final int LONGEST_HEAD = 100_000;

    private final ServerSocket listener;
    private final URI server;
    private final Map<String, String> files;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** Begins to listen; {@code files} are texts by their paths. */
    SharedOrigin(URI server, Map<String, String> files) throws IOException {
        this.server = server;
        this.files = Map.copyOf(files);
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(() -> {
            while (true) {
                Socket browser = listener.accept();
                start(() -> answer(browser));
            }
        });
    }

    String address() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException gone) {
                        // One of the two has closed its connection, or the test is over.
                        return;
                    }
                },
                "shared origin");
        thread.setDaemon(true);
        thread.start();
    }

    private void answer(Socket browser) throws IOException {
        open.add(browser);
        try (browser) {
            byte[] head = readHead(browser.getInputStream());
            String path = new String(head, StandardCharsets.ISO_8859_1).split(" ", 3)[1];
            if (path.startsWith("/v1/")) {
                pass(head, browser);
            } else {
                serve(path, browser.getOutputStream());
            }
        }
    }

    private void pass(byte[] head, Socket browser) throws IOException {
        try (Socket onward = new Socket(server.getHost(), server.getPort())) {
            open.add(onward);
            onward.getOutputStream().write(head);
            start(() -> {
                browser.getInputStream().transferTo(onward.getOutputStream());
                onward.shutdownOutput();
            });
            onward.getInputStream().transferTo(browser.getOutputStream());
        }
    }

    private void serve(String path, OutputStream out) throws IOException {
        String text = files.get(path);
        byte[] body = (text == null ? "" : text).getBytes(StandardCharsets.UTF_8);
        String type = path.endsWith(".mjs") ? "text/javascript" : "text/html";
        String head = "HTTP/1.1 " + (text == null ? "404 Not Found" : "200 OK") + "\r\nContent-Type: " + type
                + "; charset=utf-8\r\nContent-Length: " + body.length + "\r\nConnection: close\r\n\r\n";
        out.write(head.getBytes(StandardCharsets.US_ASCII));
        out.write(body);
        out.flush();
    }

    private static byte[] readHead(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (head.size() < LONGEST_HEAD) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            head.write(next);
            if (next == '\n' && head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                return head.toByteArray();
            }
        }
        throw new SocketException("no request");
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
