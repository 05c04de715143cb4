enum CompletionScript {
    /// - Parameter generated: the argument parser's script, for any shell.
    /// - Returns: the script without the parser's `help` command, which would hide foyer's; for bash with an addition.
    static func whole(_ generated: String) -> String {
        var lines: [Substring] = []
        var isOurs = true
        var isLeftOut = false
        for line in generated.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "_foyer_help() {" {
                isLeftOut = !isOurs
                isOurs = false
            }
            if !isLeftOut, !line.hasSuffix(summaryOfTheirs) { lines.append(line) }
            if line == "}" { isLeftOut = false }
        }
        let script = lines.joined(separator: "\n") + (lines.last == "" ? "" : "\n")
        return script.hasPrefix("#!/bin/bash\n") ? script + joining : script
    }

    private static let summaryOfTheirs = "Show subcommand help information.'"

    /// bash splits words at `@`, `:` and `=`, common in usernames, scopes and stores, and the script counts words.
    private static let joining = #"""

        # Rejoins words that readline split at @, : and =, and offers of each value only the part after those that
        # readline leaves alone.
        __foyer_joined() {
            local rest="${COMP_LINE}" word head=''
            local -a joined=()
            local -i index at=0
            for index in "${!COMP_WORDS[@]}"; do
                word="${COMP_WORDS[index]}"
                if [[ "${#joined[@]}" -gt 0 && -n "${joined[-1]}" && -n "${rest}" && "${rest}" != [[:space:]]*
                    && ("${word}" == [@:=]* || "${joined[-1]}" == *[@:=]) ]]; then
                    joined[-1]+="${word}"
                else
                    rest="${rest#"${rest%%[![:space:]]*}"}"
                    joined+=("${word}")
                fi
                rest="${rest#"${word}"}"
                if [[ "${index}" -eq "${COMP_CWORD}" ]]; then
                    at="$((${#joined[@]} - 1))"
                    # Readline keeps an @ with the text after it, a : or = with the text before it.
                    [[ "${joined[-1]}" == *"${2}" ]] && head="${joined[-1]%"${2}"}"
                fi
            done
            local -a COMP_WORDS=("${joined[@]}")
            local -i COMP_CWORD="${at}"
            _foyer "${1}" "${head}${2}" "${joined[at - 1]}"
            head="${head//\\/}"
            [[ -z "${head}" ]] || COMPREPLY=("${COMPREPLY[@]#"${head}"}")
        }

        complete -o filenames -F __foyer_joined foyer

        """#
}
