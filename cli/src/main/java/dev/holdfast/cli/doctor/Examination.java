package dev.holdfast.cli.doctor;

import dev.holdfast.cli.store.StoreChoice;
import java.util.List;

/** What {@code doctor} knows of one kind of store. It only reads, over a connection of its own. */
interface Examination {
    /** {@return whether it knows the store at this URL} */
    boolean knows(String url);

    /** {@return what it has found; never empty} */
    List<Finding> examine(StoreChoice choice);
}
