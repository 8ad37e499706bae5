package dev.holdfast.cli.event;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;

/**
 * Turns signals to this process into events. QUIT is missing, because the virtual machine keeps it for thread dumps. A
 * signal that was ignored when this process started, as {@code nohup} does, stays so.
 *
 * <p>Java has no other way than {@code sun.misc.Signal}. It is called by reflection, because the compiler warns of it in
 * a way that cannot be silenced.
 */
public final class Signals {
    private static final List<String> NAMES = List.of("TERM", "INT", "HUP", "USR1", "USR2");

    private Signals() {}

    /** Handles the signals that end or notify a process. */
    public static void handle(Consumer<? super Event.Signalled> events) {
        handle(NAMES, events);
    }

    /** Handles signals of these names, which are without SIG. */
    public static void handle(List<String> names, Consumer<? super Event.Signalled> events) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            for (String name : names) {
                Object made = signal.getConstructor(String.class).newInstance(name);
                int number = (int) signal.getMethod("getNumber").invoke(made);
                Object handling = Proxy.newProxyInstance(
                        Signals.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                            events.accept(new Event.Signalled(name, number));
                            return null;
                        });
                signal.getMethod("handle", signal, handler).invoke(null, made, handling);
            }
        } catch (ReflectiveOperationException unsupported) {
            throw new SupervisionException("this Java cannot handle signals", unsupported);
        }
    }
}
