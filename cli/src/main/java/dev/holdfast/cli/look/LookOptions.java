package dev.holdfast.cli.look;

import dev.holdfast.LockView;
import dev.holdfast.cli.console.Table;
import dev.holdfast.cli.console.Terminal;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of every command that prints locks. */
final class LookOptions {
    @Option(names = "--json", description = "Print JSON; tokens are strings, times milliseconds.")
    private boolean json;

    boolean json() {
        return json;
    }

    /** Prints views as a JSON array in one line, or as a table. */
    void print(List<LockView> views, Table table, Terminal terminal) {
        if (json) {
            System.out.println(ViewJson.array(views));
        } else {
            table.lines(terminal).forEach(System.out::println);
        }
    }
}
