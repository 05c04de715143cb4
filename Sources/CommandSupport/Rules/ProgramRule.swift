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
            guard let found = request[condition] else {
                let isOfCluster = condition == .cluster && request.program == ProgramName.kubectl.rawValue
                return !isOfCluster || wanted != Self.anyCluster
            }
            let isInHome = condition == .directory && (wanted == "~" || wanted.hasPrefix("~/"))
            return !condition.fits(isInHome ? (request.home ?? "~") + wanted.dropFirst() : wanted, found)
        }
    }

    /// Whether it says itself what may go to a place: a token of a client goes to none that nobody named.
    package var namesPlace: Bool { [.host, .registry, .cluster].contains { conditions[$0] != nil } }

    /// Every cluster, also one of which kubectl does not say which it is.
    package static let anyCluster = "*"

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
        case .program: wanted == found
        case .cluster: wanted == ProgramRule.anyCluster || Self.cluster(wanted) == Self.cluster(found)
        // Azure DevOps takes a name in any case.
        case .organization: wanted.asciiLowercased == found.asciiLowercased
        case .host, .registry: Self.isHost(found, wanted.asciiLowercased)
        case .path, .directory: Self.isBeneath(found, wanted)
        }
    }

    /// `*.example.org` is every host below example.org and not that one itself. Without a port it is the scheme's own:
    /// another port of a host may be another person's.
    private static func isHost(_ found: String, _ wanted: String) -> Bool {
        let (found, wanted) = (found.withoutUsualPort, wanted.withoutUsualPort)
        guard wanted.hasPrefix("*.") else { return found == wanted }
        return found.hasSuffix(wanted.dropFirst()) && found.utf8.count > wanted.utf8.count - 1
    }

    /// The address without what goes without saying.
    private static func cluster(_ text: String) -> String {
        guard let address = try? WebAddress(text) else { return text }
        return "\(address.scheme)://\(address.hostAndPort.withoutUsualPort)"
            + (address.pathSegments.map { "/" + $0 }.joined())
    }

    /// Whole parts only: `contoso` is above `contoso/x`, and not above `contoso2`.
    private static func isBeneath(_ found: String, _ wanted: String) -> Bool {
        let above = wanted.split(separator: "/")
        return found.split(separator: "/").starts(with: above)
    }
}

extension String {
    /// Of https, the only one that may be left out where the scheme is not known.
    fileprivate var withoutUsualPort: Substring { hasSuffix(":443") ? dropLast(4) : self[...] }
}
