package dev.holdfast.cli.top;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.cli.console.Durations;
import dev.holdfast.cli.console.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One lock in full: nothing is shortened, long lines are broken. */
final class DetailText {
    private static final String INDENT = "  ";

    private DetailText() {}

    static List<String> of(String name, Optional<Row> found, int width) {
        List<String> lines = new ArrayList<>();
        if (found.isEmpty()) {
            lines.add(SafeText.of(name));
            lines.add("");
            lines.add("Nobody holds it or waits for it any more.");
            return broken(lines, width);
        }
        Row row = found.get();
        LockView view = row.view();
        lines.add(row.name());
        lines.add(row.kind() + (view.kind() == LockKind.SEMAPHORE ? " permits taken" : ""));
        lines.add("");
        lines.add("HOLDERS: " + view.holders().size());
        view.holders()
                .forEach(holder -> lines.add(INDENT + Row.who(holder) + "  token " + holder.token() + "  since "
                        + Durations.age(holder.heldFor())
                        + holder.remaining()
                                .map(left -> "  lease " + Durations.age(left) + " left")
                                .orElse("")
                        + units(view, holder.units())));
        lines.add("");
        lines.add("WAITERS: " + view.waiters().size());
        int place = 1;
        for (LockView.Waiter waiter : view.waiters()) {
            lines.add(INDENT + place++ + "  " + Row.who(waiter.clientName(), waiter.label()) + "  for "
                    + Durations.age(waiter.waitingFor()) + units(view, waiter.units()));
        }
        view.lastEviction().ifPresent(eviction -> {
            lines.add("");
            lines.add("LAST EVICTION: " + Durations.age(eviction.ago()) + " ago by " + SafeText.of(eviction.by()) + ": "
                    + SafeText.of(eviction.reason()));
        });
        return broken(lines, width);
    }

    private static String units(LockView view, int units) {
        return switch (view.kind()) {
            case EXCLUSIVE -> "";
            case READ_WRITE -> units == view.capacity() ? "  write" : "  read";
            case SEMAPHORE -> "  " + units + (units == 1 ? " permit" : " permits");
        };
    }

    private static List<String> broken(List<String> lines, int width) {
        List<String> broken = new ArrayList<>();
        for (String line : lines) {
            String rest = line;
            while (Printable.width(rest) > width) {
                int end = 0;
                while (Printable.width(rest.substring(0, rest.offsetByCodePoints(end, 1))) <= width) {
                    end = rest.offsetByCodePoints(end, 1);
                }
                broken.add(rest.substring(0, end));
                rest = INDENT + INDENT + rest.substring(end);
            }
            broken.add(rest);
        }
        return broken;
    }
}
