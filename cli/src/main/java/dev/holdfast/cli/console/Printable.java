package dev.holdfast.cli.console;

/** Text from elsewhere (names, labels, reasons) that must not steer a terminal. */
public final class Printable {
    private static final String ELLIPSIS = "…";

    private Printable() {}

    /** Replaces control, format and broken characters by an escape. */
    public static String of(String text) {
        if (isPlain(text)) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (isHarmless(point)) {
                shown.appendCodePoint(point);
            } else {
                shown.append(String.format(point > 0xFFFF ? "\\U%08X" : "\\u%04X", point));
            }
        });
        return shown.toString();
    }

    /** Most text is plain, and a start of the program then needs no streams. */
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < ' ' || text.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }

    /** Cuts a piece out of the middle, so that a text takes no more than some columns; both ends of a name tell most. */
    public static String shortened(String text, int columns) {
        if ((isPlain(text) ? text.length() : width(text)) <= columns) {
            return text;
        }
        int[] points = text.codePoints().toArray();
        int room = columns - 1;
        int head = 0;
        int tail = points.length;
        int used = 0;
        boolean atHead = true;
        while (head < tail) {
            int next = atHead ? points[head] : points[tail - 1];
            if (used + width(next) > room) {
                break;
            }
            used += width(next);
            head += atHead ? 1 : 0;
            tail -= atHead ? 0 : 1;
            atHead = !atHead;
        }
        return new String(points, 0, head) + ELLIPSIS + new String(points, tail, points.length - tail);
    }

    /** The columns that a text takes on a terminal. */
    public static int width(String text) {
        return text.codePoints().map(Printable::width).sum();
    }

    private static int width(int point) {
        int type = Character.getType(point);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        return isWide(point) ? 2 : 1;
    }

    /** The blocks whose characters take two columns: Hangul, Chinese, Japanese, full-width forms, most emoji. */
    private static boolean isWide(int point) {
        return (point >= 0x1100 && point <= 0x115F)
                || (point >= 0x2E80 && point <= 0xA4CF)
                || (point >= 0xAC00 && point <= 0xD7A3)
                || (point >= 0xF900 && point <= 0xFAFF)
                || (point >= 0xFE30 && point <= 0xFE6F)
                || (point >= 0xFF00 && point <= 0xFF60)
                || (point >= 0x1F300 && point <= 0x1FAFF)
                || (point >= 0x20000 && point <= 0x3FFFD);
    }

    private static boolean isHarmless(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
