package dev.holdfast.cli.demo;

/**
 * What came out of selling in one way.
 *
 * @param title the way
 * @param stock how many there were
 * @param sold how many orders there are
 * @param left what the stock says
 * @param ordersPerSecond how fast
 * @param retries how often an order had to begin again
 */
record Sale(String title, long stock, long sold, long left, double ordersPerSecond, long retries) {

    /** {@return how many customers will get nothing} */
    long oversold() {
        return Math.max(0, sold - stock);
    }

    /** {@return whether everything was sold once and nothing is missing} */
    boolean isRight() {
        return sold == stock && left == 0;
    }
}
