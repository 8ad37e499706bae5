package dev.holdfast.jdbc;

/** What to do about missing tables. */
public enum SchemaMode {
    /** Create them; the default. Does nothing where they exist. */
    CREATE,
    /** Refuse to work without them, and print the SQL that is missing. */
    VALIDATE,
    /** Do not look. */
    NONE
}
