package dev.holdfast.torture.check;

/**
 * A fault, or a stall of a process.
 *
 * @param what its kind
 * @param target whom it hit
 * @param loses what servers forgot by it
 * @param begun not later than its beginning
 * @param active not earlier than when it was in force
 * @param ending not later than the beginning of its end
 * @param over not earlier than its end
 */
record Interval(String what, String target, String loses, long begun, long active, long ending, long over) {
    boolean mayTouch(long from, long to) {
        return begun <= to && over >= from;
    }

    /** Whether only one worker is hit by it, or the network of one. */
    boolean isOfAWorker() {
        return target.matches("(net-)?w[0-9]+");
    }

    /** Whether it hits the worker of a process, or that worker's network; processes that replace each other are one worker. */
    boolean isOf(String process) {
        String worker = process.replaceFirst("-.*", "");
        return target.equals(worker) || target.equals("net-" + worker);
    }
}
