package dev.holdfast.torture;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.torture.check.Checker;
import dev.holdfast.torture.check.Page;
import dev.holdfast.torture.check.PeerCounts;
import dev.holdfast.torture.check.Verdict;
import dev.holdfast.torture.mutants.Hunt;
import dev.holdfast.torture.peers.Maker;
import dev.holdfast.torture.rig.Scenes;
import dev.holdfast.torture.tokens.TokenRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** The command line: see {@code testing/torture/run --help}. */
public final class Main {
    private static final int VIOLATIONS = 1;
    private static final int WRONG_ARGUMENTS = 2;
    private static final int CANNOT_RUN = 3;
    private static final int LATE = 4;

    private Options options = Options.defaults();
    private String check = "";
    private boolean mutants;
    private boolean shrink;
    private long tokens;
    private int losses = 100;
    private boolean rigGiven;

    private Main() {}

    /**
     * Runs the command.
     *
     * @param args see {@code testing/torture/run --help}
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        Main main = new Main();
        int status;
        try {
            main.parse(args);
            status = main.run();
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            status = WRONG_ARGUMENTS;
        }
        System.exit(status);
    }

    private void parse(String[] args) {
        for (int i = 0; i < args.length; i++) {
            String word = args[i];
            rigGiven |= word.equals("--rig");
            if (word.equals("--mutants") || word.equals("--shrink")) {
                mutants |= word.equals("--mutants");
                shrink |= word.equals("--shrink");
                continue;
            }
            i++;
            if (i == args.length) {
                throw new IllegalArgumentException(word + " needs a value; see --help");
            }
            switch (word) {
                case "--tokens" -> tokens = Long.parseLong(args[i]);
                case "--losses" -> losses = Integer.parseInt(args[i]);
                case "--check" -> check = args[i];
                default -> take(word, args[i]);
            }
        }
    }

    private void take(String word, String value) {
        options = switch (word) {
            case "--rig" -> options.withRigs(value.equals("all") ? Scenes.ALL : List.of(value.split(",", -1)));
            case "--url" -> options.withUrl(value).withRigs(List.of("url"));
            case "--seed" -> options.withSeed(Long.parseLong(value));
            case "--seconds" -> options.withStorm(Duration.ofSeconds(Long.parseLong(value)), options.gap());
            case "--minutes" -> options.withStorm(Duration.ofMinutes(Long.parseLong(value)), options.gap());
            case "--gap" -> options.withStorm(options.storm(), Duration.ofMillis(Long.parseLong(value)));
            case "--workers" -> options.withWorkers(Integer.parseInt(value), options.threads());
            case "--threads" -> options.withWorkers(options.workers(), Integer.parseInt(value));
            case "--lease" -> options.withLease(Duration.ofMillis(Long.parseLong(value)));
            case "--out" -> options.withOut(Path.of(value));
            case "--faults" -> options.withFaults(numbers(value));
            case "--maker" -> options.withMaker(value);
            case "--mutant" -> options.withMutant(value);
            default -> throw new IllegalArgumentException("unknown option " + word + "; see --help");
        };
    }

    /** "none", or numbers with commas. */
    private static List<Integer> numbers(String text) {
        return text.equals("none")
                ? List.of()
                : Arrays.stream(text.split(",", -1)).map(Integer::valueOf).toList();
    }

    private int run() throws InterruptedException {
        if (tokens > 0) {
            return tokens();
        }
        if (mutants) {
            return Hunt.run(options, one -> new Torture(one).record(one.rigs().get(0)), System.out) ? 0 : VIOLATIONS;
        }
        if (!check.isEmpty()) {
            Round judged = Round.judge(check, Path.of(check), Checker.check(Path.of(check)));
            judged.print(System.out);
            System.out.println("page " + Page.write(judged.file(), judged.verdict(), Round.summary(List.of(judged))));
            return status(List.of(judged));
        }
        if (!options.maker().isEmpty()) {
            return peers();
        }
        List<Round> rounds = new ArrayList<>();
        for (String rig : options.rigs()) {
            try {
                Path file = new Torture(options).record(rig);
                Verdict verdict = Checker.check(file);
                Round round = Round.judge(rig, file, verdict);
                rounds.add(round);
                round.print(System.out);
                System.out.println(rig + ": page " + Page.write(file, verdict, Round.summary(List.of(round))));
                if (shrink && !verdict.findings().isEmpty()) {
                    new Shrinking(options, rig, verdict, System.out).run();
                }
            } catch (CannotRunException missing) {
                System.out.println(rig + ": SKIPPED, " + missing.getMessage());
            }
        }
        System.out.println(Round.summary(rounds));
        if (rounds.isEmpty()) {
            return CANNOT_RUN;
        }
        return status(rounds);
    }

    private int tokens() throws InterruptedException {
        boolean all = true;
        for (String rig : options.rigs()) {
            all &= new TokenRun(tokens, losses, System.out).on(rig);
        }
        return all ? 0 : VIOLATIONS;
    }

    /** Several makers with commas; each on its own rig, unless others were named. */
    private int peers() throws InterruptedException {
        boolean all = true;
        for (String word : options.maker().split(",", -1)) {
            Maker maker = Maker.named(word);
            for (String rig : rigGiven ? options.rigs() : List.of(maker.rig())) {
                all &= peer(maker, rig);
            }
        }
        return all ? 0 : VIOLATIONS;
    }

    private boolean peer(Maker maker, String rig) throws InterruptedException {
        String name = maker.word() + " on " + rig;
        try {
            Path file = new Torture(options.withMaker(maker.word())).record(rig);
            Verdict counts = PeerCounts.of(file);
            boolean good = true;
            if (maker.isJudged()) {
                Round judged = Round.judge(name, file, Checker.check(file));
                judged.print(System.out);
                good = judged.sound();
            }
            System.out.println(name + ": " + new TreeMap<>(counts.counts()));
            return good && counts.counted("lost_updates_without_locks") > 0 && counts.counted("grants") > 0;
        } catch (CannotRunException missing) {
            System.out.println(name + ": SKIPPED, " + missing.getMessage());
            return true;
        }
    }

    private static int status(List<Round> rounds) {
        if (!rounds.stream().allMatch(Round::sound)) {
            return VIOLATIONS;
        }
        return rounds.stream().allMatch(Round::timely) ? 0 : LATE;
    }
}
