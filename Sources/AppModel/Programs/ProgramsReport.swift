package import FoundationEssentials

/// Programs that requested tokens recently, with matching rules. Text from others is not sanitized here; the face that
/// displays it does that.
package struct ProgramsReport: Equatable, Sendable {
    package struct Use: Equatable, Sendable {
        package var at: Date
        /// The username; empty if no account was found.
        package var account: String
        package var client: String
        package var tenant: String
        package var scopes: [String]
        /// The source of the token, such as `cache`; empty if none was given.
        package var source: String
        /// Why no token was given; nil if one was.
        package var refusal: String?

        package init(
            at: Date, account: String, client: String, tenant: String = "", scopes: [String], source: String,
            refusal: String? = nil
        ) {
            self.at = at
            self.account = account
            self.client = client
            self.tenant = tenant
            self.scopes = scopes
            self.source = source
            self.refusal = refusal
        }
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
        package var ruleToWrite: [String]
        /// The current output of `foyer why`, without the first line, which names the rule.
        package var explanation: [String]

        package init(
            name: String, target: String, uses: [Use], rule: Rule? = nil, ruleToWrite: [String] = [],
            explanation: [String] = []
        ) {
            self.name = name
            self.target = target
            self.uses = uses
            self.rule = rule
            self.ruleToWrite = ruleToWrite
            self.explanation = explanation
        }
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
