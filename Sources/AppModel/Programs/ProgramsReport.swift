package import FoundationEssentials
package import Identity

/// Programs that requested tokens recently, with matching rules. Text from others is not sanitized here; the face that
/// displays it does that.
package struct ProgramsReport: Equatable, Sendable {
    package struct Use: Hashable, Sendable {
        package var at: Date
        /// The username; empty if no account was found.
        package var account = ""
        /// The home account ID; empty if unknown.
        package var accountID = ""
        package var client = ""
        package var tenant = ""
        package var scopes: [String] = []
        /// The source of the token, such as `cache`; empty if none was given.
        package var source = ""
        /// Why no token was given; nil if one was.
        package var refusal: String?
        /// The kind of refusal; nil if a token was given, or for an unknown kind.
        package var code: Failure.Code?
        /// The number of accounts that fit, if no rule chose one of them.
        package var fitting: Int?
        /// How long the program waited, if known.
        package var milliseconds: Int?
    }

    package struct Rule: Equatable, Sendable {
        package var line: Int
        package var text: [String]

        package init(line: Int, text: [String]) { (self.line, self.text) = (line, text) }
    }

    package struct Program: Equatable, Sendable {
        package var name: String
        /// A host, cluster, registry or resource; empty for anything else.
        package var target: String
        /// Newest first; never empty.
        package var uses: [Use]
        package var rule: Rule?
        /// A suggested rule if none matches; empty if there is no suggestion.
        package var ruleToWrite: [String] = []
        /// Rules that would each end a refusal; empty if no rule would.
        package var offers: [RuleOffer] = []
        /// The current output of `foyer why`, without the first line, which names the rule.
        package var explanation: [String] = []
    }

    /// The path as displayed, with `~`.
    package var settingsFile: String
    /// Most recent request first.
    package var programs: [Program]
    /// Which programs are set up; nil until that is known.
    package var states: [ProgramConnection]?

    package init(settingsFile: String, programs: [Program], states: [ProgramConnection]? = []) {
        (self.settingsFile, self.programs, self.states) = (settingsFile, programs, states)
    }
}

extension ProgramsReport.Use { package init(_ at: Date) { self.init(at: at) } }
extension ProgramsReport.Program {
    package init(_ name: String, _ target: String, uses: [ProgramsReport.Use]) {
        self.init(name: name, target: target, uses: uses)
    }
}
