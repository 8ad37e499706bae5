package dev.holdfast.cli.top;

import dev.holdfast.LockView;
import java.util.List;

/** What the one thread that draws has to hear of. */
sealed interface TopEvent {
    /**
     * A key was pressed.
     *
     * @param key which
     * @param text what it types, for {@link Key#TEXT}
     */
    record Pressed(Key key, String text) implements TopEvent {}

    /**
     * The store has answered.
     *
     * @param views all locks
     */
    record Seen(List<LockView> views) implements TopEvent {}

    /**
     * The store has not answered, or refused.
     *
     * @param sentence why
     */
    record Failed(String sentence) implements TopEvent {}

    /**
     * An eviction was tried.
     *
     * @param result a sentence
     */
    record Evicted(String result) implements TopEvent {}

    /** The terminal has another size. */
    record Resized() implements TopEvent {}

    /**
     * Somebody wants this process to end.
     *
     * @param number of the signal
     */
    record Signalled(int number) implements TopEvent {}

    /** Nothing has happened for a while; ages have to be drawn again. */
    record Quiet() implements TopEvent {}
}
