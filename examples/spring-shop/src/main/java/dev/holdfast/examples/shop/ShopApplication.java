package dev.holdfast.examples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts one instance of the shop. */
@SpringBootApplication
public class ShopApplication {

    /**
     * Starts it.
     *
     * @param arguments properties, such as {@code --server.port=8080}
     */
    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }
}
