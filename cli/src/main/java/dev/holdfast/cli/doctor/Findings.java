package dev.holdfast.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/** Collects what is found, of one server after another. Used by one thread. */
final class Findings {
    private final List<Finding> all;
    private final String where;

    Findings() {
        this(new ArrayList<>(), "");
    }

    private Findings(List<Finding> all, String where) {
        this.all = all;
        this.where = where;
    }

    /** {@return where to put what is found of one server} */
    Findings at(String server) {
        return new Findings(all, server);
    }

    List<Finding> all() {
        return all;
    }

    void ok(String id, String what) {
        all.add(new Finding(Finding.Level.OK, id, where, what, ""));
    }

    void unknown(String id, String what, String advice) {
        all.add(new Finding(Finding.Level.UNKNOWN, id, where, what, advice));
    }

    void caution(String id, String what, String advice) {
        all.add(new Finding(Finding.Level.CAUTION, id, where, what, advice));
    }

    void danger(String id, String what, String advice) {
        all.add(new Finding(Finding.Level.DANGER, id, where, what, advice));
    }
}
