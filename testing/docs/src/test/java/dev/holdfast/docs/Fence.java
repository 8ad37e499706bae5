package dev.holdfast.docs;

/**
 * A block of code in a page.
 *
 * @param page where it is
 * @param language what stands behind the three backticks; empty for none
 * @param mark what the HTML comment right above it says; empty for none
 * @param line the number of its first line of code in the page, from 1
 * @param code what it shows
 */
record Fence(Page page, String language, String mark, int line, String code) {

    /** {@return page and line, for messages} */
    String where() {
        return page.name() + ":" + line;
    }
}
