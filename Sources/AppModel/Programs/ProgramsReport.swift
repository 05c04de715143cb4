package import FoundationEssentials

/// Which programs were given tokens lately, and by which rules. Texts in it that others have made come as they are; the
/// face that shows them cleans them.
package struct ProgramsReport: Equatable, Sendable {
    /// One time that a program asked.
    package struct Use: Equatable, Sendable {
        package var at: Date
        /// The username; empty where nobody was found.
        package var account: String
        package var client: String
        package var tenant: String
        package var scopes: [String]
        /// Where the token came from, such as `cache`; empty where none was given.
        package var source: String
        /// Why none was given; nil where one was.
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

    /// Of the settings.
    package struct Rule: Equatable, Sendable {
        /// Where it begins.
        package var line: Int
        /// As it is written there.
        package var text: [String]

        package init(line: Int, text: [String]) { (self.line, self.text) = (line, text) }
    }

    /// A program and what it asks for.
    package struct Program: Equatable, Sendable {
        package var name: String
        /// A host, a cluster, a registry, a resource; empty where it is none of these.
        package var target: String
        /// The latest first; never empty.
        package var uses: [Use]
        /// The one that fits now.
        package var rule: Rule?
        /// The rule that could be written where none fits; empty where nothing is known for it.
        package var ruleToWrite: [String]
        /// What `foyer why` says now, without the first line, which names the rule.
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

    /// As a person writes its path.
    package var settingsFile: String
    /// Those that asked last first.
    package var programs: [Program]
    /// How far programs are set up; nil while that is being looked at.
    package var states: [ProgramConnection]?

    package init(settingsFile: String, programs: [Program], states: [ProgramConnection]? = []) {
        (self.settingsFile, self.programs, self.states) = (settingsFile, programs, states)
    }
}
