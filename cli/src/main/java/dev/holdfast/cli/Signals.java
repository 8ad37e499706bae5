package dev.holdfast.cli;

import java.util.List;
import java.util.function.Consumer;
import sun.misc.Signal;

/**
 * Turns signals to this process into events. QUIT is missing, because the virtual machine keeps it for thread dumps. A
 * signal that was ignored when this process started, as {@code nohup} does, stays so.
 */
final class Signals {
    private static final List<String> NAMES = List.of("TERM", "INT", "HUP", "USR1", "USR2");

    private Signals() {}

    static void handle(Consumer<? super Event.Signalled> events) {
        for (String name : NAMES) {
            Signal.handle(
                    new Signal(name),
                    signal -> events.accept(new Event.Signalled(signal.getName(), signal.getNumber())));
        }
    }
}
