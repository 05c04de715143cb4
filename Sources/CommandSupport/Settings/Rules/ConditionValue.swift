package import Identity

/// The value of a rule's condition: a literal, or a pattern. Only the text of settings makes a pattern. A value that a
/// program, a provider or a file supplied is a literal, which matches itself alone.
package struct ConditionValue: Hashable, Sendable {
    /// As in the settings.
    package let text: String
    /// Whether the text stands for more than itself: any cluster, every host below a domain, or the home folder.
    package let isPattern: Bool

    /// Text of the settings, or a path that foyer abbreviated itself.
    package init(settings text: String, of condition: ProgramRule.Condition) {
        (self.text, isPattern) = (text, condition.isPattern(text))
    }

    /// A value from outside.
    ///
    /// - Throws: `configuration` if the settings would read it as a pattern, so that no rule can name it.
    package init(literal text: String, of condition: ProgramRule.Condition) throws(Failure) {
        guard !condition.isPattern(text) else {
            throw Failure(
                .configuration, "no rule can name the \(condition.rawValue) \"\(text)\": in a rule, that is a pattern",
                hint: .text("request the token for the \(condition.rawValue) by its full name"))
        }
        (self.text, isPattern) = (text, false)
    }

    /// A program's name, which no condition reads as a pattern.
    static func program(_ name: String) -> ConditionValue { ConditionValue(settings: name, of: .program) }
}

extension ProgramRule {
    package typealias Conditions = [Condition: ConditionValue]

    /// Any cluster, including one that kubectl does not name.
    static let anyCluster = "*"
    /// Every host below a domain.
    static let anyHost = "*."
    /// The home folder.
    static let home = "~"
}

extension ProgramRule.Condition {
    /// Whether the settings' text stands for more than itself.
    fileprivate func isPattern(_ text: String) -> Bool {
        switch self {
        case .program, .path, .organization: false
        case .host, .registry: text.hasPrefix(ProgramRule.anyHost)
        case .cluster: text == ProgramRule.anyCluster
        case .directory: text == ProgramRule.home || text.hasPrefix(ProgramRule.home + "/")
        }
    }
}
