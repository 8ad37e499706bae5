package dev.holdfast.cli.top;

import dev.holdfast.Holdfast;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.event.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;

/**
 * One use of the full screen, from taking the terminal to giving it back. Everything that happens comes through one queue
 * to the thread that draws. Signals are events too, so the terminal is put back before they end the process.
 */
final class TopSession {
    private static final int MOST_EVENTS = 10_000;
    private static final long REDRAW_MILLIS = 500;
    private static final int SIGHUP = 1;
    private static final int SIGINT = 2;

    private final BlockingQueue<TopEvent> events = new LinkedBlockingQueue<>(MOST_EVENTS);
    private final TopState state;
    private final StoreWatch store;
    private final boolean colour;

    TopSession(Holdfast client, String prefix, Duration interval, boolean colour) {
        this.colour = colour;
        store = new StoreWatch(client, prefix, interval, events::offer);
        state = new TopState(System::nanoTime, store::evict);
    }

    /** {@return the exit code} */
    int run() {
        Signals.handle(this::signalled);
        Signals.handle(List.of("WINCH"), ignored -> events.offer(new TopEvent.Resized()));
        try (store;
                Terminal terminal = open()) {
            Attributes before = terminal.enterRawMode();
            try (Keys keys = new Keys(terminal.reader(), events::offer)) {
                withoutSignalKeys(terminal);
                terminal.puts(Capability.enter_ca_mode);
                terminal.puts(Capability.cursor_invisible);
                keys.start();
                store.start();
                return show(terminal);
            } finally {
                terminal.puts(Capability.cursor_normal);
                terminal.puts(Capability.exit_ca_mode);
                terminal.flush();
                terminal.setAttributes(before);
            }
        } catch (IOException broken) {
            throw new UncheckedIOException("the terminal cannot be used", broken);
        }
    }

    /** By the system's own {@code stty}: no native library, and nothing is asked of the terminal that it may not know. */
    private static Terminal open() throws IOException {
        return TerminalBuilder.builder()
                .system(true)
                .systemOutput(TerminalBuilder.SystemOutput.SysOut)
                .provider("exec")
                .dumb(false)
                .nativeSignals(false)
                .graphemeCluster(false)
                .encoding(StandardCharsets.UTF_8)
                .build();
    }

    /** Ctrl-C is a key here, and Ctrl-Z would leave the screen to the shell as it is. */
    private static void withoutSignalKeys(Terminal terminal) {
        Attributes raw = terminal.getAttributes();
        raw.setLocalFlag(Attributes.LocalFlag.ISIG, false);
        terminal.setAttributes(raw);
    }

    private void signalled(dev.holdfast.cli.event.Event.Signalled signal) {
        if (!signal.name().startsWith("USR")) {
            events.offer(new TopEvent.Signalled(signal.number()));
        }
    }

    private int show(Terminal terminal) {
        Display display = new Display(terminal, true);
        resize(terminal, display);
        while (true) {
            Screen screen = new Screen(state, display.getRows(), display.getColumns(), colour);
            display.update(screen.lines(), 0);
            TopEvent event = next();
            // What has piled up is drawn once.
            for (int taken = 0; event != null && taken < MOST_EVENTS; taken++) {
                if (event instanceof TopEvent.Resized) {
                    resize(terminal, display);
                }
                OptionalInt end = apply(event);
                if (end.isPresent()) {
                    return end.getAsInt();
                }
                event = events.poll();
            }
        }
    }

    private TopEvent next() {
        try {
            TopEvent event = events.poll(REDRAW_MILLIS, TimeUnit.MILLISECONDS);
            return event == null ? new TopEvent.Quiet() : event;
        } catch (InterruptedException impossible) {
            throw new IllegalStateException("nobody interrupts this thread", impossible);
        }
    }

    private OptionalInt apply(TopEvent event) {
        if (event instanceof TopEvent.Signalled signal) {
            return OptionalInt.of(Exit.SIGNAL + signal.number());
        }
        if (event instanceof TopEvent.Seen seen) {
            state.see(seen.views());
        } else if (event instanceof TopEvent.Failed failed) {
            state.fail(failed.sentence());
        } else if (event instanceof TopEvent.Evicted evicted) {
            state.tell(evicted.result());
        } else if (event instanceof TopEvent.Pressed pressed) {
            return press(pressed);
        }
        return OptionalInt.empty();
    }

    private OptionalInt press(TopEvent.Pressed pressed) {
        return switch (pressed.key()) {
            case INTERRUPT -> OptionalInt.of(Exit.SIGNAL + SIGINT);
            case HANG_UP -> OptionalInt.of(Exit.SIGNAL + SIGHUP);
            default -> state.press(pressed) ? OptionalInt.empty() : OptionalInt.of(Exit.OK);
        };
    }

    private static void resize(Terminal terminal, Display display) {
        Size size = terminal.getSize();
        display.resize(Size.of(Math.max(1, size.getColumns()), Math.max(1, size.getRows())));
        display.clear();
    }
}
