package import Identity

/// One of `[[rules]]`: the conditions on a program's request, and the token for it.
package struct ProgramRule: Hashable, Sendable {
    /// Raw values are the names in the settings. An absent condition matches everything.
    package enum Condition: String, Hashable, Sendable, CaseIterable {
        case program, host, path, organization, cluster, registry, directory
    }

    package var conditions: Conditions
    /// A client of the settings, a well-known client, or a client ID.
    package var client: String?
    package var account: String?
    package var tenant: String?
    package var scopes: [String]
    /// Whether an AI agent's session gets the person's token; nil to leave it to the person.
    package var agents: Bool?
    package var line: Int

    package init(
        _ conditions: Conditions, client: String? = nil, account: String? = nil, tenant: String? = nil,
        scopes: [String] = [], agents: Bool? = nil, line: Int = 0
    ) {
        self.conditions = conditions
        self.client = client
        self.account = account
        self.tenant = tenant
        self.scopes = scopes
        self.agents = agents
        self.line = line
    }

    /// - Returns: the first condition that fails; nil if the rule matches.
    package func mismatch(with request: ProgramRequest) -> Condition? {
        Condition.allCases.first { condition in
            guard let wanted = conditions[condition] else { return false }
            guard let found = request[condition] else {
                let isOfCluster = condition == .cluster && request.program == ProgramName.kubectl.rawValue
                return !isOfCluster || !wanted.isPattern
            }
            return !condition.fits(wanted, found, home: request.home)
        }
    }

    /// Whether the rule names a destination and so allows tokens to go there.
    package var namesPlace: Bool { [.host, .registry, .cluster].contains { conditions[$0] != nil } }

    /// The members in the settings, without header and scopes.
    package var members: [(key: String, value: String)] {
        Condition.allCases.compactMap { condition in conditions[condition].map { (condition.rawValue, $0.text) } }
            + [("client", client), ("account", account), ("tenant", tenant)].compactMap { key, value in
                value.map { (key, $0) }
            }
    }
}

extension ProgramRequest {
    /// Conditions of a rule for requests like this one, from any directory and for any path.
    ///
    /// - Throws: `configuration` if no rule can name a value of the request, which is untrusted.
    package func conditions() throws(Failure) -> ProgramRule.Conditions {
        var conditions: ProgramRule.Conditions = [:]
        for condition in ProgramRule.Condition.allCases where condition != .path && condition != .directory {
            if let value = self[condition] { conditions[condition] = try ConditionValue(literal: value, of: condition) }
        }
        return conditions
    }

    /// The condition of a rule for this program, whatever it requests.
    package var programCondition: ProgramRule.Conditions { [.program: .program(program)] }

    package subscript(condition: ProgramRule.Condition) -> String? {
        switch condition {
        case .program: program
        case .host: host
        case .path: path
        case .organization: organization
        case .cluster: cluster
        case .registry: registry
        case .directory: directory
        }
    }
}

extension ProgramRule.Condition {
    fileprivate func fits(_ wanted: ConditionValue, _ found: String, home: String?) -> Bool {
        switch self {
        case .program: wanted.text == found
        case .cluster: wanted.isPattern || Self.cluster(wanted.text) == Self.cluster(found)
        // Azure DevOps names are case-insensitive.
        case .organization: wanted.text.asciiLowercased == found.asciiLowercased
        case .host, .registry: Self.isHost(found, wanted)
        case .path: Self.isBeneath(found, wanted.text)
        case .directory:
            Self.isBeneath(
                found, wanted.isPattern ? (home ?? ProgramRule.home) + wanted.text.dropFirst() : wanted.text)
        }
    }

    /// `*.example.org` matches every host below example.org, but not example.org. No port means the default port:
    /// another port of a host may belong to another user.
    private static func isHost(_ found: String, _ wanted: ConditionValue) -> Bool {
        let (found, text) = (found.withoutUsualPort, wanted.text.asciiLowercased.withoutUsualPort)
        guard wanted.isPattern else { return found == text }
        return found.hasSuffix(text.dropFirst()) && found.utf8.count > text.utf8.count - 1
    }

    private static func cluster(_ text: String) -> String {
        guard let address = try? WebAddress(text) else { return text }
        return "\(address.scheme)://\(address.hostAndPort.withoutUsualPort)"
            + (address.pathSegments.map { "/" + $0 }.joined())
    }

    /// Compares whole segments: `contoso` contains `contoso/x` but not `contoso2`.
    private static func isBeneath(_ found: String, _ wanted: String) -> Bool {
        let above = wanted.split(separator: "/")
        return found.split(separator: "/").starts(with: above)
    }
}

extension String {
    /// Only https's port may be omitted if the scheme is unknown.
    fileprivate var withoutUsualPort: Substring { hasSuffix(":443") ? dropLast(4) : self[...] }
}
