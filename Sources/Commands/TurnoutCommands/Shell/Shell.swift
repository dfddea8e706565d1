/// A shell for which there is a script that completes command lines of `turnout`.
///
/// Each script passes the words of the command line to `turnout completions candidates`, which prints a `Completion`.
package enum Shell: String, CaseIterable {
    case bash
    case zsh
    case fish

    var completionScript: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    private static let bashScript = #"""
        # bash completion for turnout. Load it with: source <(turnout completions bash)
        _turnout() {
            local word current=${COMP_WORDS[COMP_CWORD]}
            [ "$current" = = ] && current=
            COMPREPLY=()
            while IFS=$'\t' read -r word _; do
                if [ "$word" = :files ]; then
                    compopt -o filenames 2> /dev/null
                    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
                else
                    COMPREPLY+=("$word")
                    # A path goes on behind a dot.
                    case "$word" in *.) compopt -o nospace 2> /dev/null ;; esac
                fi
            done < <("${COMP_WORDS[0]}" completions candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" \
                2> /dev/null < /dev/null)
        }
        complete -F _turnout turnout

        """#

    private static let zshScript = #"""
        #compdef turnout
        # zsh completion for turnout. Save it as _turnout in a folder of $fpath.
        _turnout() {
            local line
            local -a candidates suffix
            for line in ${(f)"$($words[1] completions candidates -- "${(@)words[2,CURRENT]}" \
                2> /dev/null < /dev/null)"}; do
                if [[ $line == :files ]]; then
                    _files
                elif [[ $line == *$'\t'* ]]; then
                    candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
                else
                    candidates+=("${line//:/\\:}")
                    # A path goes on behind a dot.
                    [[ $line != *. ]] || suffix=(-S '')
                fi
            done
            (( ! $#candidates )) || _describe argument candidates "${suffix[@]}"
        }
        if [ "$funcstack[1]" = _turnout ]; then _turnout "$@"; else compdef _turnout turnout; fi

        """#

    private static let fishScript = #"""
        # fish completion for turnout. Save it as ~/.config/fish/completions/turnout.fish.
        function __turnout_candidates
            set -l words (commandline -opc)
            set -l current (commandline -ct | string collect --allow-empty)
            for line in ($words[1] completions candidates -- $words[2..] $current 2> /dev/null < /dev/null)
                if test "$line" = :files
                    __fish_complete_path $current
                else
                    echo $line
                end
            end
        end
        complete -c turnout -f -a '(__turnout_candidates)'

        """#
}
