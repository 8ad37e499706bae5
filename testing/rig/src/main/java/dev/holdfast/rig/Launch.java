package dev.holdfast.rig;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** How one kind of server is started and recognised: all that process control has to know about it. */
public interface Launch {

    /** {@return how many ports the server listens on} */
    default int ports() {
        return 1;
    }

    /**
     * Writes what the server needs and tells how to start it. Called before every start; files that the server itself
     * has changed since, such as a rewritten configuration, should be left as they are.
     *
     * @param place where it may keep files, and the ports that are reserved for it
     * @return the command and its arguments; it must stay in the foreground
     * @throws IOException if a file cannot be written
     */
    List<String> prepare(Place place) throws IOException;

    /**
     * Asks the server once whether it is ready for clients.
     *
     * @param place of the server
     * @return whether it is; false if it should be asked again
     * @throws IOException if it does not answer, which also means that it should be asked again
     */
    boolean ready(Place place) throws IOException;

    /**
     * Deletes the server's data, and nothing that makes it the member of a group that it is.
     *
     * @param place of the server, which is not running
     * @throws IOException if a file cannot be deleted
     */
    void forget(Place place) throws IOException;

    /** {@return the signal that makes the server end in good order, without waiting for its clients to go} */
    default String stopSignal() {
        return "TERM";
    }

    /**
     * Removes what a server that was killed has left outside its directory, once it will not be started again.
     *
     * @param place of the server, which is not running
     */
    default void bury(Place place) {}

    /**
     * Tells a start that failed because somebody else has the port from one that failed for other reasons.
     *
     * @param log what the server has written
     * @return whether another port would help
     */
    default boolean portTaken(String log) {
        return log.contains("Address already in use");
    }

    /**
     * Where a server lives.
     *
     * @param directory for its files; exists
     * @param ports reserved for it
     */
    record Place(Path directory, List<Integer> ports) {
        /** {@return the first port} */
        public int port() {
            return ports.get(0);
        }
    }
}
