import Console

/// A text that is allowed in a report. It cannot be made from arbitrary text: it is written in this program, is on one
/// of its lists, or has a format without room for a name or a secret.
struct ReportWord: Hashable, ExpressibleByStringLiteral, Sendable {
    let text: String

    /// Takes no interpolation: a `StaticString` is fixed at build time.
    init(stringLiteral text: StaticString) { self.text = text.description }

    private init(checked text: String) { self.text = text }

    /// - Returns: nil for a text that is not exactly one of the list.
    init?(_ text: String, of list: some Sequence<String>) {
        guard list.contains(text) else { return nil }
        self.init(checked: text)
    }

    /// A case of an enumeration of this program.
    init(_ value: some RawRepresentable<String> & CaseIterable) { self.init(checked: value.rawValue) }

    /// Up to six numbers of at most ten digits, with dots; the rest is dropped. Nil if it begins with no digit.
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

    /// Words with separators, such as `6.1.0-18-cloud-amd64` or `xterm-256color`: a word that is not a number and not
    /// on the list becomes `…`.
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

    /// Permission bits as in `chmod`, such as `0600`.
    init(mode: UInt32) { self.init(checked: "0" + String(mode & 0o7777, radix: 8)) }

    /// Such as `AADSTS50076`.
    init(prefix: ReportWord, number: Int) { self.init(checked: prefix.text + String(number)) }

    /// Data of the build, the same for all of its users.
    init(ofBuild text: String) { self.init(checked: SafeText.ascii(text, limit: 120)) }

    fileprivate init(included text: String) { self.init(checked: SafeText.line(text, limit: 240)) }
}

/// Content that a user can add to a report. Secrets are not an option.
enum ReportInclusion: String, CaseIterable, Sendable {
    case names, tenants, paths
}

extension Set<ReportInclusion> {
    /// - Returns: nil unless the user included this kind.
    func word(_ kind: ReportInclusion, _ text: String) -> ReportWord? {
        contains(kind) && !text.isEmpty ? ReportWord(included: text) : nil
    }
}
