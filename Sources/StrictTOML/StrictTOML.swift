// StrictTOML reads the TOML that users write for this program, and formats values that the program writes. It must not
// do input or output.

package import TOMLKit

package struct TOMLProblem: Error, Hashable, Sendable {
    /// Counts from 1.
    package let line: Int
    package let what: String
}

/// The only use of the TOML library.
///
/// The library, toml++, trusts its input: a typo can trigger an assertion (`scopes = [}` ends the process), it recurses
/// as deep as keys have dots, and it stops at a NUL. So the syntax is checked here first, and the library sees only
/// safe input. It still interprets values and tables, and rejects duplicate names.
package enum StrictTOML {
    /// - Throws: ``TOMLProblem`` for any invalid text.
    package static func read(_ text: String) throws(TOMLProblem) -> TOMLTable {
        var syntax = TOMLSyntax(text)
        try syntax.check()
        do { return try TOMLTable(string: text) } catch let error as TOMLParseError {
            throw TOMLProblem(line: max(1, error.source.begin.line), what: error.description)
        } catch { throw TOMLProblem(line: 1, what: "invalid TOML") }
    }
}

/// A formatted value.
package enum TOMLText: Hashable, Sendable {
    case text(String)
    case texts([String])
    case flag(Bool)

    package var written: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .texts(let texts): "[" + texts.map(Self.quoted).joined(separator: ", ") + "]"
        case .flag(let flag): flag ? "true" : "false"
        }
    }

    /// A basic string, which reads back as the same text, except for a NUL.
    private static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\t": out += "\\t"
            case "\r": out += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                out += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    package static func key(_ name: String) -> String {
        !name.isEmpty && name.utf8.allSatisfy(TOMLSyntax.isBare) ? name : quoted(name)
    }
}
