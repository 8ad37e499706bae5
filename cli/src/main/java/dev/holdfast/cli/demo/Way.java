package dev.holdfast.cli.demo;

/** How a worker of the overselling demonstration keeps others from selling the same thing. */
enum Way {
    NO_LOCK("no lock", false),
    LOCAL_LOCK("in-process lock", false),
    VERSION("version column", true),
    COMPARE_AND_SET("compare-and-set on the stock", true),
    ROW_LOCK("SELECT ... FOR UPDATE", true),
    HOLDFAST("Holdfast", true);

    private final String title;
    private final boolean safe;

    Way(String title, boolean safe) {
        this.title = title;
        this.safe = safe;
    }

    String title() {
        return title;
    }

    /** {@return whether it must never oversell} */
    boolean isSafe() {
        return safe;
    }
}
