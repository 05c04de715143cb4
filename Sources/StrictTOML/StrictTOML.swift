// StrictTOML reads the TOML that people write for this program, and writes the values that the program puts there.
// It must not do input or output.

package import TOMLKit

/// What is wrong with a text, and where.
package struct TOMLProblem: Error, Hashable, Sendable {
    /// Counted from 1.
    package let line: Int
    package let what: String
}

/// The only use of the library that reads TOML.
///
/// The library is toml++, which is written for programs that trust their files: it is built with assertions that a typo
/// fulfils (`scopes = [}` ends the process), recurses as deep as keys are dotted, and stops at a NUL. So the syntax is
/// checked here first, and the library sees only texts that it reads without any of that. It still decides what the
/// text means: values, tables, and names that are given twice.
package enum StrictTOML {
    /// - Throws: ``TOMLProblem``, whatever the text is.
    package static func read(_ text: String) throws(TOMLProblem) -> TOMLTable {
        var syntax = TOMLSyntax(text)
        try syntax.check()
        do { return try TOMLTable(string: text) } catch let error as TOMLParseError {
            throw TOMLProblem(line: max(1, error.source.begin.line), what: error.description)
        } catch { throw TOMLProblem(line: 1, what: "it cannot be read") }
    }
}

/// A value as it is written.
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

    /// A basic string; it is read back as what it was, whatever it holds, but for a NUL.
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

    /// A key, in quotation marks where its letters need them.
    package static func key(_ name: String) -> String {
        !name.isEmpty && name.utf8.allSatisfy(TOMLSyntax.isBare) ? name : quoted(name)
    }
}
