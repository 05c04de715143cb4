import Identity

/// One of `[[rules]]`: what must be so of a program's request, and which token it gets then.
package struct ProgramRule: Hashable, Sendable {
    /// What a rule looks at. Raw values are the names in the settings; what is left out fits everything.
    package enum Condition: String, Hashable, Sendable, CaseIterable {
        case program, host, path, organization, cluster, registry, directory
    }

    package var conditions: [Condition: String]
    /// A client of the settings, a well-known one, or an identifier.
    package var client: String?
    package var account: String?
    package var tenant: String?
    package var scopes: [String]
    /// Where it begins in the settings file.
    package var line: Int

    package init(
        _ conditions: [Condition: String], client: String? = nil, account: String? = nil, tenant: String? = nil,
        scopes: [String] = [], line: Int = 0
    ) {
        self.conditions = conditions
        self.client = client
        self.account = account
        self.tenant = tenant
        self.scopes = scopes
        self.line = line
    }

    /// - Returns: the first condition that is not so; nil where the rule fits.
    package func mismatch(with request: ProgramRequest) -> Condition? {
        Condition.allCases.first { condition in
            guard let wanted = conditions[condition] else { return false }
            guard let found = request[condition] else { return true }
            let isInHome = condition == .directory && (wanted == "~" || wanted.hasPrefix("~/"))
            return !condition.fits(isInHome ? (request.home ?? "~") + wanted.dropFirst() : wanted, found)
        }
    }

    /// Names a host for certain: a token of a client goes to no host that nobody named.
    package var namesHost: Bool { conditions[.host] != nil || conditions[.registry] != nil }

    /// As it is written in the settings, without its header and its scopes.
    package var members: [(key: String, value: String)] {
        Condition.allCases.compactMap { condition in conditions[condition].map { (condition.rawValue, $0) } }
            + [("client", client), ("account", account), ("tenant", tenant)].compactMap { key, value in
                value.map { (key, $0) }
            }
    }
}

extension ProgramRequest {
    /// Those of a rule for requests like this one, from wherever and to whatever path.
    package var conditions: [ProgramRule.Condition: String] {
        var conditions: [ProgramRule.Condition: String] = [:]
        for condition in ProgramRule.Condition.allCases where condition != .path && condition != .directory {
            conditions[condition] = self[condition]
        }
        return conditions
    }

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
    fileprivate func fits(_ wanted: String, _ found: String) -> Bool {
        switch self {
        case .program, .cluster: wanted == found
        // Azure DevOps takes a name in any case.
        case .organization: wanted.asciiLowercased == found.asciiLowercased
        case .host, .registry: Self.isHost(found, wanted.asciiLowercased)
        case .path, .directory: Self.isBeneath(found, wanted)
        }
    }

    /// `*.example.org` is every host below example.org and not that one itself; without a port any port will do.
    private static func isHost(_ found: String, _ wanted: String) -> Bool {
        let name = hasPort(wanted) ? found : withoutPort(found)
        guard wanted.hasPrefix("*.") else { return name == wanted }
        return name.hasSuffix(wanted.dropFirst()) && name.utf8.count > wanted.utf8.count - 1
    }

    private static func hasPort(_ host: String) -> Bool { withoutPort(host) != host }

    private static func withoutPort(_ host: String) -> String {
        // The colons of an IPv6 literal stand in brackets.
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else { return host }
        return String(host[..<colon])
    }

    /// Whole parts only: `contoso` is above `contoso/x`, and not above `contoso2`.
    private static func isBeneath(_ found: String, _ wanted: String) -> Bool {
        let above = wanted.split(separator: "/")
        return found.split(separator: "/").starts(with: above)
    }
}
