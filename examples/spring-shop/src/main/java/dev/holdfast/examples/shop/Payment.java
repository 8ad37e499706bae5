package dev.holdfast.examples.shop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** Asks a service outside, which may take its time. */
@Component
public class Payment {
    private final HttpClient client = HttpClient.newHttpClient();
    private final String url;

    Payment(@Value("${shop.payment-url}") String url) {
        this.url = url;
    }

    /**
     * Takes the money.
     *
     * @param customer from whom
     */
    public void charge(String customer) {
        URI address = URI.create(url + "?customer=" + URLEncoder.encode(customer, StandardCharsets.UTF_8));
        try {
            client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding());
        } catch (IOException failure) {
            throw new UncheckedIOException("the payment of " + customer + " failed", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted during the payment of " + customer, interrupted);
        }
    }
}
