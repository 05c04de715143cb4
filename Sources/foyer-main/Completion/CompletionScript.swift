/// The argument parser's completion script as it is handed out.
enum CompletionScript {
    /// - Parameter generated: the argument parser's script, for any shell.
    /// - Returns: without the `help` command of its own that the parser adds to every program, which would take the
    ///   place of ours; with what bash needs besides.
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

    /// bash's readline takes words apart at `@`, `:` and `=`, which usernames, scopes and stores are full of, and the
    /// script counts words.
    private static let joining = #"""

        # Puts words together again that readline has taken apart at @, : and =, and offers of each value only what
        # comes after the parts that readline leaves alone.
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
                    # Readline keeps an @ with what follows, and leaves the other two with what is before.
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
