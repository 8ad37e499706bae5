package dev.holdfast.cli.top;

import dev.holdfast.cli.console.Printable;

/**
 * Text from elsewhere on a screen where every column counts. Only characters whose place and width are certain on every
 * terminal are shown as they are. All others are escaped: control characters; right-to-left scripts, which would move
 * their neighbours; marks and joiners, of which a terminal may make fewer columns than were counted; blanks that are no
 * spaces. Of several spaces only the first is one, so that a name cannot look like the next columns.
 */
final class SafeText {
    private static final int FIRST_CONJOINING = 0x1100;
    private static final int LAST_CONJOINING = 0x11FF;
    private static final int LATE_CONJOINING = 0xD7B0;
    private static final int LAST_LATE_CONJOINING = 0xD7FF;
    private static final int FIRST_EMOJI = 0x1F000;
    private static final int LAST_EMOJI = 0x1FFFF;
    private static final char VISIBLE_SPACE = '\u2423';

    private SafeText() {}

    static String of(String text) {
        if (isPlain(text)) {
            return text;
        }
        StringBuilder safe = new StringBuilder(text.length());
        int last = ' ';
        for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            int point = text.codePointAt(at);
            if (point == ' ' && last == ' ') {
                safe.append(VISIBLE_SPACE);
            } else if (isCertain(point)) {
                safe.append(Printable.of(Character.toString(point)));
            } else {
                safe.append(String.format(point > 0xFFFF ? "\\U%08X" : "\\u%04X", point));
            }
            last = point;
        }
        return safe.toString();
    }

    /** Most names are plain, and there may be thousands each second. */
    private static boolean isPlain(String text) {
        char last = ' ';
        for (int at = 0; at < text.length(); at++) {
            char each = text.charAt(at);
            if (each < ' ' || each > '~' || (each == ' ' && last == ' ')) {
                return false;
            }
            last = each;
        }
        return true;
    }

    private static boolean isCertain(int point) {
        if (point == ' ') {
            return true;
        }
        boolean conjoining = (point >= FIRST_CONJOINING && point <= LAST_CONJOINING)
                || (point >= LATE_CONJOINING && point <= LAST_LATE_CONJOINING);
        boolean emoji = point >= FIRST_EMOJI && point <= LAST_EMOJI;
        return !conjoining && !emoji && !isMarkOrBlank(point) && !isRightToLeft(point);
    }

    private static boolean isMarkOrBlank(int point) {
        return switch (Character.getType(point)) {
            case Character.NON_SPACING_MARK,
                    Character.ENCLOSING_MARK,
                    Character.COMBINING_SPACING_MARK,
                    Character.SPACE_SEPARATOR,
                    Character.PRIVATE_USE -> true;
            default -> false;
        };
    }

    private static boolean isRightToLeft(int point) {
        return switch (Character.getDirectionality(point)) {
            case Character.DIRECTIONALITY_RIGHT_TO_LEFT,
                    Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC,
                    Character.DIRECTIONALITY_ARABIC_NUMBER -> true;
            default -> false;
        };
    }
}
