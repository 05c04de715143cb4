package import FoundationEssentials
package import Identity

/// A rule that would end the refusal of a program's request by choosing an account.
package struct RuleOffer: Hashable, Sendable {
    package var program: String
    package var target: String
    package var account: AccountID
    package var username: String
    /// Whether the rule names the target.
    package var isForTarget: Bool
    /// The rule in the settings file, and the line where it goes.
    package var lines: [String]
    package var line: Int
    /// The program that got the account's last token, and when; empty and nil if none is recorded.
    package var lastProgram = ""
    package var lastUse: Date?

    package init(
        _ program: String, target: String, account: AccountID, username: String, isForTarget: Bool, lines: [String],
        line: Int
    ) {
        (self.program, self.target, self.account, self.username) = (program, target, account, username)
        (self.isForTarget, self.lines, self.line) = (isForTarget, lines, line)
    }
}
