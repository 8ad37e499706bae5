package dev.holdfast.store.file;

/**
 * A thread that cannot be interrupted. An interrupt would close the file that it works on, and with it drop the locks of
 * the whole process; and whoever interrupts a whole group of threads does not know that.
 */
final class SteadyThread extends Thread {
    SteadyThread(Runnable work, String name) {
        super(work, name);
        setDaemon(true);
    }

    @Override
    public void interrupt() {
        // Nothing that it does takes longer than it should.
    }
}
