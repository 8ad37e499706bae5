package dev.holdfast.cli;

/** A client as people see it. */
final class Who {
    private Who() {}

    static String of(String clientName, String label) {
        return Printable.of(label.isEmpty() ? clientName : clientName + " (" + label + ")");
    }
}
