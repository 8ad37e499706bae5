package dev.holdfast.jdbc;

import java.util.Locale;
import java.util.regex.Pattern;

/** Names of tables and columns become part of statements, so they are checked; values never do, they are bound. */
final class Identifier {
    private static final int MOST_CHARACTERS = 63;
    private static final String WORD = "[A-Za-z_][A-Za-z0-9_]{0," + (MOST_CHARACTERS - 1) + "}";
    private static final Pattern COLUMN = Pattern.compile(WORD);
    private static final Pattern TABLE = Pattern.compile(WORD + "(\\." + WORD + "){0,2}");

    private Identifier() {}

    /** A table, perhaps with its schema. */
    static String table(String name) {
        return checked(TABLE, "table", name);
    }

    /** A column; databases do not tell its letters' case apart, so neither do we. */
    static String column(String name) {
        return checked(COLUMN, "column", name).toLowerCase(Locale.ROOT);
    }

    private static String checked(Pattern pattern, String what, String name) {
        if (!pattern.matcher(name).matches()) {
            throw new IllegalArgumentException("'" + name + "' cannot be the name of a " + what
                    + ": use letters, digits and underscores, at most " + MOST_CHARACTERS + ", no digit first");
        }
        return name;
    }
}
