import CommandSupport
import FoundationEssentials

/// A report as Markdown, from the same value as its JSON.
struct ReportText {
    /// Lines are wrapped at blanks before this column.
    private static let columns = 76

    let report: ReportValue

    var lines: [String] {
        guard case .object(let sections) = report else { return [] }
        return ["# Foyer report"] + sections.flatMap { ["", "## " + Self.title($0.name)] + [""] + Self.body($0.value) }
    }

    private static func body(_ value: ReportValue) -> [String] {
        switch value {
        case .object(let members): members.flatMap { member($0, indent: "") }
        case .list(let values) where values.isEmpty: ["none"]
        case .list(let values): values.flatMap { wrapped(oneLine($0), indent: "") }
        default: wrapped(oneLine(value), indent: "")
        }
    }

    private static func member(_ member: ReportValue.Member, indent: String) -> [String] {
        let name = words(member.name)
        if case .list(let values) = member.value, values.contains(where: \.isObject) {
            return ["\(indent)- \(name):"] + values.flatMap { wrapped(oneLine($0), indent: indent + "  ") }
        }
        return wrapped("\(name): \(oneLine(member.value))", indent: indent)
    }

    private static func oneLine(_ value: ReportValue) -> String {
        switch value {
        case .unknown: "unknown"
        case .flag(let flag): flag ? "yes" : "no"
        case .number(let number): String(number)
        case .word(let word): plain(word.text)
        case .time(let time): time.rfc3339
        case .id(let id): id.uuidString.lowercased()
        case .list(let values): values.isEmpty ? "none" : values.map(oneLine).joined(separator: ", ")
        case .object(let members) where members.isEmpty: "none"
        case .object(let members): members.map { "\(words($0.name)): \(inner($0.value))" }.joined(separator: "; ")
        }
    }

    private static func inner(_ value: ReportValue) -> String {
        value.isObject ? "(\(oneLine(value)))" : oneLine(value)
    }

    /// Escapes Markdown and HTML.
    private static func plain(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            if "\\`*<>[]|#&".contains(character) { text += "\\" }
            text.append(character)
        }
    }

    /// `correlationId` becomes `correlation id`. A settings key is unchanged.
    private static func words(_ name: ReportWord) -> String {
        name.text.reduce(into: "") { words, letter in
            words += letter.isUppercase ? " " + letter.lowercased() : String(letter)
        }
    }

    private static func title(_ name: ReportWord) -> String {
        let words = words(name)
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private static func wrapped(_ text: String, indent: String) -> [String] {
        var lines: [String] = []
        var line = indent + "-"
        for word in text.split(separator: " ") {
            if line.count + 1 + word.count > columns, line.contains(where: { $0 != " " && $0 != "-" }) {
                lines.append(line)
                line = indent + " "
            }
            line += " " + word
        }
        return lines + [line]
    }
}

extension ReportValue {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}
