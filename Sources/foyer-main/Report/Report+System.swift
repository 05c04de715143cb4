import CommandSupport
import Console
import Glibc
import Identity
import Terminal
import TokenCache

extension Report {
    var versions: ReportValue {
        let details = VersionDetails()
        let libraries = details.libraries.map {
            ReportValue.Member(name: ReportWord(ofBuild: $0.name), value: .word(ReportWord(ofBuild: $0.version)))
        }
        return ReportValue(
            ("foyer", .word(ReportWord(ofBuild: Product.version))),
            ("commit", ReportValue(details.commit.map { ReportWord(ofBuild: $0) })),
            ("compiler", .word(ReportWord(ofBuild: details.compiler))), ("libraries", .object(libraries)))
    }

    // MARK: The system

    var system: ReportValue {
        var names = utsname()
        let isKnown = uname(&names) == 0
        let release = isKnown ? withUnsafeBytes(of: names.release) { Self.text($0) } : ""
        let machine = isKnown ? withUnsafeBytes(of: names.machine) { Self.text($0) } : ""
        let distribution = Distribution.ofSystem
        return ReportValue(
            ("distribution", ReportValue(distribution?.name)),
            ("distributionVersion", distribution?.version.map { .word($0) }),
            ("kernel", ReportValue(ReportWord(parts: release, of: ReportLists.kernelWords, separators: ".-+_"))),
            ("machine", ReportValue(ReportWord(machine, of: ReportLists.machines))),
            ("container", .flag(environment.isContainer)), ("wsl", .flag(environment.isWSL)),
            ("superuser", .flag(geteuid() == 0)))
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    // MARK: The terminal

    var terminal: ReportValue {
        let type = environment["TERM"]
        let facts = TerminalFacts(type: type ?? "", locale: environment.locale)
        let isTerminal = { (file: Int32) in ReportValue.flag(isatty(file) == 1) }
        return ReportValue(
            (
                "type",
                type == nil
                    ? "none"
                    : ReportValue(ReportWord(parts: type ?? "", of: ReportLists.terminalWords, separators: "-+."))
            ), ("described", .flag(facts.isDescribed)), ("colors", facts.colors.map { ReportValue($0) }),
            ("colorterm", environment["COLORTERM"].map { ReportValue(ReportWord($0, of: ReportLists.colorterms)) }),
            ("rows", facts.rows.map { ReportValue($0) }), ("columns", facts.columns.map { ReportValue($0) }),
            ("utf8", .flag(facts.isUTF8)),
            ("charset", ReportValue(ReportWord(facts.charset, of: ReportLists.charsets) ?? "another")),
            ("input", isTerminal(STDIN_FILENO)), ("output", isTerminal(STDOUT_FILENO)),
            ("errors", isTerminal(STDERR_FILENO)), ("tmux", .flag(environment["TMUX"] != nil)),
            ("screen", .flag(environment["STY"] != nil)), ("ssh", .flag(environment.isOverSSH)),
            ("display", .flag(environment.hasDisplay)))
    }

    // MARK: The environment

    /// The variables that foyer uses and that are set, without their values.
    var variables: ReportValue {
        let set = ReportLists.variables.filter { environment[$0] != nil }
        return ReportValue(
            ("set", .list(set.map { ReportValue(ReportWord($0, of: ReportLists.variables)) })),
            ("home", .flag(environment["HOME"] != nil)), ("sessionBus", .flag(DefaultStore(environment).hasSession)))
    }
}
