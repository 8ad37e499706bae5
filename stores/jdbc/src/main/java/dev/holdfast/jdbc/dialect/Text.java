package dev.holdfast.jdbc.dialect;

/** Text for people that has to fit its column. */
public final class Text {
    /** How long the names of clients are at most. */
    public static final int NAME = 200;

    /** How long reasons are at most. */
    public static final int REASON = 1_000;

    private Text() {}

    /**
     * Cuts a text, not in the middle of a character.
     *
     * @param text any text
     * @param most how many characters fit
     * @return its beginning
     */
    public static String cut(String text, int most) {
        return text.codePointCount(0, text.length()) <= most
                ? text
                : text.substring(0, text.offsetByCodePoints(0, most));
    }
}
