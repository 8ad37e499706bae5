package dev.holdfast.cli.console;

/** A client as people see it. */
public final class Who {
    private Who() {}

    public static String of(String clientName, String label) {
        return Printable.of(label.isEmpty() ? clientName : clientName + " (" + label + ")");
    }
}
