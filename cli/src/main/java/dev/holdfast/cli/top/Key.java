package dev.holdfast.cli.top;

/** A key as far as this view tells keys apart. */
enum Key {
    TEXT,
    ENTER,
    ESCAPE,
    BACKSPACE,
    CLEAR,
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    HOME,
    END,
    /** Ctrl-C, which is no signal here. */
    INTERRUPT,
    /** The terminal is gone. */
    HANG_UP,
    OTHER
}
