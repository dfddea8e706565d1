/// Completion scripts for shells, made from the syntax of the commands.
///
/// A script completes commands, options, the values of options and the first operands that have a fixed set, and file
/// names everywhere else.
package struct ShellCompletions {
    /// The shells with a script.
    package enum Shell: String, CaseIterable {
        case bash
        case zsh
        case fish
    }

    private let syntax: ToolSyntax

    /// Prepares scripts for a tool.
    package init(_ syntax: ToolSyntax) { self.syntax = syntax }

    /// The script for a shell.
    package func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private var tool: String { syntax.name }
    private var names: [String] { syntax.commands.map(\.name) + ["help"] }

    // MARK: bash

    private var bash: String {
        """
        # bash completion for \(tool). Load it with: source <(\(tool) completions bash)
        _\(tool)() {
            local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} values=
            COMPREPLY=()
            if [ "$COMP_CWORD" -eq 1 ]; then
                COMPREPLY=($(compgen -W "\(names.joined(separator: " ")) --help --version" -- "$current"))
                return
            fi
            case "${COMP_WORDS[1]} $previous" in
        \(bashValues)    esac
            if [ -n "$values" ]; then
                COMPREPLY=($(compgen -W "$values" -- "$current"))
            elif [[ "$current" == -* ]]; then
                case "${COMP_WORDS[1]}" in
        \(bashOptions)        esac
                COMPREPLY=($(compgen -W "$values" -- "$current"))
            elif [ "${COMP_WORDS[1]}" = help ]; then
                COMPREPLY=($(compgen -W "\(names.joined(separator: " "))" -- "$current"))
            else
                [[ "$previous" == -* ]] || case "${COMP_WORDS[1]}" in
        \(bashOperands)        esac
                COMPREPLY=($(compgen -W "$values" -- "$current"))
                [ -n "$COMPREPLY" ] || COMPREPLY=($(compgen -f -- "$current"))
            fi
        }
        complete -o filenames -F _\(tool) \(tool)

        """
    }

    private var bashValues: String {
        syntax.commands.flatMap { command in
            command.options.filter { !$0.allowedValues.isEmpty }.map { option in
                let spellings = [option.name] + (option.letter.map { ["-\($0)"] } ?? [])
                let patterns = spellings.map { "\"\(command.name) \($0)\"" }.joined(separator: "|")
                return "    \(patterns)) values=\"\(option.allowedValues.joined(separator: " "))\" ;;\n"
            }
        }.joined()
    }

    private var bashOperands: String {
        syntax.commands.compactMap { command in
            let words = command.operands?.words ?? []
            return words.isEmpty ? nil : "        \(command.name)) values=\"\(words.joined(separator: " "))\" ;;\n"
        }.joined()
    }

    private var bashOptions: String {
        syntax.commands.map { command in
            let options = command.options.map(\.name) + ["--help"]
            return "        \(command.name)) values=\"\(options.joined(separator: " "))\" ;;\n"
        }.joined()
    }

    // MARK: zsh

    private var zsh: String {
        let commands = syntax.commands.map { "        '\($0.name):\($0.summary.zshQuoted)'\n" }.joined()
        let cases = syntax.commands.map { command in
            let options = command.options.map { "            \($0.zshArgument) \\\n" }.joined()
            let words = command.operands?.words ?? []
            let first = words.isEmpty ? "" : " '1:\(command.name):(\(words.joined(separator: " ")))'"
            return """
                    \(command.name))
                        _arguments \\
                \(options)            '(-h --help)'{-h,--help}'[Show this help.]'\(first) '*:file:_files'
                        ;;

                """
        }.joined()
        return """
            #compdef \(tool)
            # zsh completion for \(tool). Save it as _\(tool) in a folder of $fpath.
            _\(tool)() {
                local -a commands=(
            \(commands)    )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local command=$words[2]
                shift words
                (( CURRENT-- ))
                case $command in
            \(cases)    help) _describe command commands ;;
                esac
            }
            _\(tool) "$@"

            """
    }

    // MARK: fish

    private var fish: String {
        var lines = ["# fish completion for \(tool). Save it as ~/.config/fish/completions/\(tool).fish."]
        lines.append("complete -c \(tool) -n __fish_use_subcommand -f -a help -d 'Explain a command.'")
        for command in syntax.commands {
            lines.append(
                "complete -c \(tool) -n __fish_use_subcommand -f -a \(command.name) -d '\(command.summary.fishQuoted)'")
            if let words = command.operands?.words, !words.isEmpty {
                lines.append(
                    "complete -c \(tool) -n '__fish_seen_subcommand_from \(command.name)' "
                        + "-a '\(words.joined(separator: " "))'")
            }
            for option in command.options {
                var line = "complete -c \(tool) -n '__fish_seen_subcommand_from \(command.name)'"
                line += " -l \(option.name.dropFirst(2))"
                if let letter = option.letter { line += " -s \(letter)" }
                if option.placeholder != nil { line += " -r" }
                if !option.allowedValues.isEmpty {
                    line += " -f -a '\(option.allowedValues.joined(separator: " "))'"
                }
                lines.append(line + " -d '\(option.help.fishQuoted)'")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension CommandOption {
    /// The option in the notation of `_arguments`.
    fileprivate var zshArgument: String {
        let names = letter.map { "'(-\($0) \(name))'{-\($0),\(name)}" } ?? name
        let value: String =
            switch (placeholder, allowedValues.isEmpty) {
            case (nil, _): ""
            case (let placeholder?, true): ":\(placeholder.zshQuoted):_files"
            case (let placeholder?, false): ":\(placeholder.zshQuoted):(\(allowedValues.joined(separator: " ")))"
            }
        let description = "'[\(help.zshQuoted)]\(value)'"
        return (isRepeatable ? "'*'" : "") + names + description
    }
}

extension String {
    /// Escaped for single quotes and the notation of `_arguments`.
    fileprivate var zshQuoted: String {
        reduce(into: "") { text, character in
            switch character {
            case "'": text += "'\\''"
            case "[", "]", ":": text += "\\\(character)"
            default: text.append(character)
            }
        }
    }

    /// Escaped for single quotes of fish.
    fileprivate var fishQuoted: String {
        reduce(into: "") { text, character in
            if character == "'" || character == "\\" { text.append("\\") }
            text.append(character)
        }
    }
}
