package import Keys

/// A row of a key table, which is the source for dispatch, footer and help.
package struct KeyBinding: Hashable, Sendable {
    package let keys: [Key]
    package let command: Command
    /// The footer's label; empty to leave the key out of the footer.
    package let label: String
    package let help: String

    init(_ keys: [Key], _ command: Command, _ label: String, _ help: String) {
        (self.keys, self.command, self.label, self.help) = (keys, command, label, help)
    }

    /// The help without details: up to a semicolon, colon or parenthesis.
    var briefHelp: String {
        let end = help.indices.first { place in ["; ", " (", ": "].contains { help[place...].hasPrefix($0) } }
        return String(help[..<(end ?? help.endIndex)])
    }

    func with(keys: [Key]) -> KeyBinding { KeyBinding(keys, command, label, help) }
    func with(label: String) -> KeyBinding { KeyBinding(keys, command, label, help) }
}

/// The keys of one context, in the order of the footer.
package struct KeyTable: Hashable, Sendable {
    package let context: KeyContext
    package let title: String
    package let bindings: [KeyBinding]

    init(_ context: KeyContext, _ title: String, _ bindings: [KeyBinding]) {
        (self.context, self.title, self.bindings) = (context, title, bindings)
    }

    /// Whether letters are text here.
    var takesText: Bool { bindings.contains { $0.command == .edit } }
}

extension KeyTable {
    private struct Row: Hashable {
        let keys: String
        let command: String
        let help: String

        init(_ binding: KeyBinding) {
            keys = binding.keys.map { "`\($0.name == "`" || $0.name == "|" ? "\\" + $0.name : $0.name)`" }.joined(
                separator: " ")
            command = binding.command.rawValue
            help = binding.help
        }
    }

    /// A row in at least this many tables is listed once for all of them.
    private static let common = 3

    /// Tables for a manual: one for each context, then one for the keys that most contexts share.
    package static func markdown(_ tables: [KeyTable]) -> String {
        var places: [Row: Int] = [:]
        for row in tables.flatMap({ Set($0.bindings.map(Row.init)) }) { places[row, default: 0] += 1 }
        var shared: [Row] = []
        var parts: [String] = []
        for table in tables {
            let rows = table.bindings.map(Row.init)
            shared += rows.filter { places[$0, default: 0] >= common && !shared.contains($0) }
            let own = rows.filter { places[$0, default: 0] < common }
            guard !own.isEmpty else { continue }
            let section = "In the settings file: `[keys.\(table.context.rawValue)]`."
            parts.append("### \(table.title)\n\n\(section)\n\n\(markdown(own))\n")
        }
        parts.append("### Everywhere\n\n\(markdown(shared))\n")
        return parts.joined(separator: "\n")
    }

    private static func markdown(_ rows: [Row]) -> String {
        (["| key | command | what it does |", "|---|---|---|"]
            + rows.map { "| \($0.keys) | `\($0.command)` | \($0.help) |" }).joined(separator: "\n")
    }
}
