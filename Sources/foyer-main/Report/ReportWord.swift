import Console
import FoundationEssentials

/// A text that may stand in a report. There is no way to make one of any text: it is written in this program, it is on
/// a list that the program has, or it has a form in which there is no room for a name or a secret.
struct ReportWord: Hashable, ExpressibleByStringLiteral, Sendable {
    let text: String

    /// Takes no text with something put into it: that of a `StaticString` is fixed when the program is built.
    init(stringLiteral text: StaticString) { self.text = text.description }

    private init(checked text: String) { self.text = text }

    /// - Parameter list: what the program knows.
    /// - Returns: nil for a text that is not on it, in just this form.
    init?(_ text: String, of list: some Sequence<String>) {
        guard list.contains(text) else { return nil }
        self.init(checked: text)
    }

    /// A case of an enumeration of this program.
    init(_ value: some RawRepresentable<String> & CaseIterable) { self.init(checked: value.rawValue) }

    /// A version: up to six numbers of at most ten digits, with dots; what follows them is left out.
    ///
    /// - Returns: nil for what does not begin with a digit.
    init?(version text: String) {
        let numbers = text.split(separator: ".", maxSplits: 6, omittingEmptySubsequences: false).prefix(6)
        var taken: [Substring] = []
        for part in numbers {
            let digits = part.prefix { ("0"..."9").contains($0) }
            guard !digits.isEmpty, digits.count <= 10 else { break }
            taken.append(digits)
            if digits.count < part.count { break }
        }
        guard !taken.isEmpty else { return nil }
        self.init(checked: taken.joined(separator: "."))
    }

    /// Words with something between them, such as `6.1.0-18-cloud-amd64` or `xterm-256color`: each word is a number or
    /// on the list, or becomes `…`.
    ///
    /// - Parameter separators: what may be between two words.
    init?(parts text: String, of list: some Collection<String>, separators: String) {
        guard !text.isEmpty, text.utf8.count <= 100 else { return nil }
        var whole = ""
        var part = ""
        func known(_ part: String) -> String {
            let isNumber = part.utf8.count <= 10 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            return isNumber || list.contains(part) ? part : "…"
        }
        for character in text {
            if separators.contains(character) {
                whole += known(part) + String(character)
                part = ""
            } else {
                part.append(character)
            }
        }
        self.init(checked: whole + known(part))
    }

    /// Permission bits as `chmod` takes them, such as `0600`.
    init(mode: UInt32) { self.init(checked: "0" + String(mode & 0o7777, radix: 8)) }

    /// Such as `AADSTS50076`.
    init(prefix: ReportWord, number: Int) { self.init(checked: prefix.text + String(number)) }

    /// What the build has put into the program: it is the same for everybody who has it.
    init(ofBuild text: String) { self.init(checked: SafeText.ascii(text, limit: 120)) }

    /// What somebody wants in the report who was told what it is.
    fileprivate init(included text: String) { self.init(checked: SafeText.line(text, limit: 240)) }
}

/// What a person may add to a report. Secrets are none of it.
enum ReportInclusion: String, CaseIterable, Sendable {
    case names, tenants, paths
}

extension Set<ReportInclusion> {
    /// - Returns: nil unless such texts were asked for.
    func word(_ kind: ReportInclusion, _ text: String) -> ReportWord? {
        contains(kind) && !text.isEmpty ? ReportWord(included: text) : nil
    }
}
