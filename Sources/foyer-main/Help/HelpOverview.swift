import ArgumentParser
import CommandSupport

/// The text of `foyer help` and `foyer --help`: all commands by groups, in one line each.
struct HelpOverview {
    let width: Int

    private static let examples = [
        ("foyer demo", "try everything on a local provider"),
        ("foyer sign-in --client azure-cli", "sign in with a well-known client"),
        ("TOKEN=$(foyer token --silent)", "a token for a script; never prompts"),
    ]

    var text: String {
        let root = Foyer.configuration
        var sections = [
            "\(root.abstract)\n\(root.discussion)",
            section("Usage", ["foyer [<options>]", "foyer <command> [<options>]"]),
            section("Examples", rows(Self.examples)),
        ]
        sections += root.groupedSubcommands.map { group in
            section(group.name, rows(group.subcommands.map { (Self.names($0), $0.configuration.abstract) }))
        }
        sections.append(section("Topics", rows(HelpTopic.allCases.map { ($0.rawValue, $0.summary) })))
        sections += Self.optionSections(Foyer.helpMessage(columns: width))
        sections.append(section("Exit status", rows(ExitStatusTable.summary)))
        sections.append(#""foyer help <command>" shows a command's options, "foyer help <topic>" a topic."#)
        return sections.joined(separator: "\n\n")
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        ([title.uppercased()] + lines.map { "  " + $0 }).joined(separator: "\n")
    }

    private func rows(_ rows: [(name: String, text: String)]) -> [String] {
        let column = (rows.map(\.name.count).max() ?? 0) + 2
        return rows.map { $0.name + String(repeating: " ", count: column - $0.name.count) + $0.text }
    }

    private static func names(_ command: any ParsableCommand.Type) -> String {
        ([command._commandName] + command.configuration.aliases).joined(separator: ", ")
    }

    /// The option sections of the argument parser's help, with titles like the other sections.
    private static func optionSections(_ help: String) -> [String] {
        help.split(separator: "\n\n").filter { $0.prefix { $0 != "\n" }.hasSuffix("OPTIONS:") }.map { section in
            let lines = section.split(separator: "\n", omittingEmptySubsequences: false)
            return ([String(lines[0].dropLast())] + lines.dropFirst().map(String.init)).joined(separator: "\n")
        }
    }
}
