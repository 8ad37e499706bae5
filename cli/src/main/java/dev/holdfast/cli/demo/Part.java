package dev.holdfast.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** The other side of a {@link Player}: obeys orders one after another, and ends at once when there will be no more. */
final class Part {
    private static final int MOST_ORDERS = 1_000;

    /** Does what a line says and answers; an answer that begins with {@code failed} ends the demonstration. */
    interface Obedience {
        String obey(String[] words) throws SQLException, InterruptedException;
    }

    private Part() {}

    /** Never returns: the process ends here, also in the middle of something, when whoever started it is gone. */
    static void play(Obedience obedience) throws InterruptedException {
        BlockingQueue<String> orders = new ArrayBlockingQueue<>(MOST_ORDERS);
        Thread reader = new Thread(() -> read(orders), "orders");
        reader.setDaemon(true);
        reader.start();
        while (true) {
            String order = orders.take();
            try {
                System.out.println(obedience.obey(order.split(" ", -1)));
            } catch (SQLException | RuntimeException failure) {
                String why =
                        String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
                System.out.println("failed " + failure.getClass().getSimpleName() + ": " + why);
            }
            System.out.flush();
        }
    }

    private static void read(BlockingQueue<String> orders) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null) {
                orders.put(line);
                line = lines.readLine();
            }
        } catch (IOException gone) {
            Runtime.getRuntime().halt(0);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(0);
    }
}
