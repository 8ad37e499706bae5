package dev.holdfast.cli;

import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Writes the completion script from the commands as they are. Both shells get the same function: zsh has a part for
 * bash's completion. Lock names are asked of {@code holdfast ls}; behind {@code --} the shell completes as it does
 * everywhere.
 */
final class CompletionScript {
    private static final String TEMPLATE = """
            # Completion for holdfast; made by 'holdfast completion %1$s'.
            _holdfast() {
                local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options='' i
                COMPREPLY=()
                if [[ $COMP_CWORD -eq 1 ]]; then
                    COMPREPLY=($(compgen -W '%2$s' -- "$word"))
                    return
                fi
                for ((i = 2; i < COMP_CWORD; i++)); do
                    if [[ $command =~ ^(run|elect|fence)$ && ${COMP_WORDS[i]} = -- ]]; then
                        _holdfast_after_dashes "$i"
                        return
                    fi
                done
                case $command in
            %3$s
                esac
                if [[ $command = completion ]]; then
                    COMPREPLY=($(compgen -W "bash zsh $options" -- "$word"))
                elif [[ $command = demo ]]; then
                    COMPREPLY=($(compgen -W "$([[ $COMP_CWORD -gt 2 ]] || echo '%4$s') $options" -- "$word"))
                elif [[ $command = fence || $command = release ]] && [[ $word != -* ]]; then
                    COMPREPLY=() # the shell's own: files
                elif [[ $word = -* ]]; then
                    COMPREPLY=($(compgen -W "$options" -- "$word"))
                elif [[ ${COMP_WORDS[COMP_CWORD-1]} != -* ]]; then
                    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" ls --quiet "$word" 2>/dev/null)" -- "$word"))
                fi
            }
            """;

    private static final String BASH_END = """
            _holdfast_after_dashes() {
                if declare -F _command_offset >/dev/null; then
                    _command_offset $(($1 + 1))
                elif [[ $COMP_CWORD -eq $(($1 + 1)) ]]; then
                    COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
                else
                    COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
                fi
            }
            complete -o default -F _holdfast holdfast
            """;

    private static final String ZSH_END = """
            _holdfast_after_dashes() {
                if [[ $COMP_CWORD -eq $(($1 + 1)) ]]; then
                    COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
                else
                    COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
                fi
            }
            autoload -U +X compinit && compinit
            autoload -U +X bashcompinit && bashcompinit
            complete -o default -F _holdfast holdfast
            """;

    private final CommandSpec root;

    CompletionScript(CommandSpec root) {
        this.root = root;
    }

    String text(String shell) {
        String commands = String.join(" ", new TreeSet<>(root.subcommands().keySet()));
        String cases = root.subcommands().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> "        " + entry.getKey() + ") options='" + options(entry.getValue()) + "' ;;")
                .collect(Collectors.joining("\n"));
        String end = shell.equals("bash") ? BASH_END : ZSH_END;
        CommandLine demo = Objects.requireNonNull(root.subcommands().get("demo"));
        String demonstrations =
                String.join(" ", new TreeSet<>(demo.getSubcommands().keySet()));
        return TEMPLATE.formatted(shell, commands + " --help --version", cases, demonstrations) + end;
    }

    private static String options(CommandLine command) {
        return Stream.concat(Stream.of(command), command.getSubcommands().values().stream())
                .flatMap(each -> each.getCommandSpec().options().stream())
                .filter(option -> !option.hidden())
                .map(CommandLine.Model.OptionSpec::longestName)
                .distinct()
                .sorted()
                .collect(Collectors.joining(" "));
    }
}
