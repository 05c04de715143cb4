import ArgumentParser

/// The text of `foyer help COMMAND` and `foyer COMMAND --help`: from the argument parser, with the command's own
/// options first and only those common options that it reads. The others are also accepted, as scripts pass them to
/// every command.
struct CommandHelp {
    let command: any ParsableCommand.Type
    let width: Int

    private static let common = "COMMON OPTIONS:"

    var text: String {
        let sections = Self.sections(Foyer.helpMessage(for: command, columns: width))
        let own = sections.filter { $0.first != Self.common }.map(usageWithinWidth)
        let shared = sections.filter { $0.first == Self.common }.map { section in
            [Self.common] + Self.entries(section).filter { !Self.names(Self.unread(command), $0[0]) }.flatMap(\.self)
        }
        let name = command._commandName
        // "token-file remove" has the name of another command.
        let isOwn = HelpCommand.commands([name]).last == command
        let examples = isOwn ? CommandExamples.section(name, width: width) : nil
        return
            (own.map { $0.joined(separator: "\n") } + [examples].compactMap(\.self)
            + shared.map { $0.joined(separator: "\n") }).joined(separator: "\n\n")
    }

    /// A usage line that is too long names no options, which are listed below it.
    private func usageWithinWidth(_ section: [String]) -> [String] {
        guard let line = section.first, line.hasPrefix("USAGE:"), line.count > width else { return section }
        var parts: [String] = []
        for word in line.split(separator: " ") {
            let isInside = parts.last.map { $0.count(where: { $0 == "[" }) > $0.count(where: { $0 == "]" }) } ?? false
            if isInside { parts[parts.count - 1] += " " + word } else { parts.append(String(word)) }
        }
        let start = parts.prefix { !$0.hasPrefix("[") }
        let arguments = parts.dropFirst(start.count).filter { !$0.hasPrefix("[-") }
        return [(start + ["[<options>]"] + arguments).joined(separator: " ")] + section.dropFirst()
    }

    /// Paragraphs of the text, each starting with a heading; a discussion belongs to its heading.
    private static func sections(_ text: String) -> [[String]] {
        var sections: [[String]] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let heading = line.prefix { $0.isUppercase || $0 == " " || $0 == "-" }
            let isHeading = !heading.isEmpty && !heading.hasPrefix(" ") && line.dropFirst(heading.count).first == ":"
            if isHeading || sections.isEmpty { sections.append([]) }
            sections[sections.count - 1].append(line)
        }
        return sections.map { section in
            Array(section.reversed().drop { $0.isEmpty }.reversed())
        }
    }

    /// The options of a section, each with all its lines.
    private static func entries(_ section: [String]) -> [[String]] {
        var entries: [[String]] = []
        for line in section.dropFirst() {
            if line.hasPrefix("  -") || entries.isEmpty { entries.append([]) }
            entries[entries.count - 1].append(line)
        }
        return entries
    }

    private static func names(_ options: [String], _ line: String) -> Bool {
        options.contains { line.hasPrefix("  --\($0) ") || line == "  --\($0)" }
    }

    /// The common options without effect on a command.
    static func unread(_ command: any ParsableCommand.Type) -> [String] {
        switch command._commandName {
        case "accounts", "stores", "clean", "store", "show", "move", "rekey", "unlock", "lock", "secret":
            ["authority", "scope", "account", "timeout", "verbose"]
        case "use": ["scope", "resource", "timeout", "verbose"]
        case "tokens", "family": ["authority", "scope", "timeout", "verbose"]
        case "scopes": ["authority", "timeout", "verbose"]
        case "clients":
            ["client", "client-id", "authority", "scope", "account", "store", "timeout", "verbose"]
        case "inspect", "doctor": ["scope", "account", "verbose"]
        case "remove", "import": ["scope", "account", "timeout", "verbose"]
        case "sign-out": ["scope", "account"]
        case "register": ["client", "client-id", "account", "verbose"]
        case "start", "stop", "status", "list", "allow", "refuse", "install", "uninstall":
            ["client", "client-id", "authority", "scope", "account", "store", "config", "timeout", "verbose"]
        case "demo": ["client", "client-id", "authority", "account", "store", "config", "json"]
        default: []
        }
    }
}
