import Identity

/// Which client, account, tenant and scopes a program's request is served with, and why: the one place that decides it.
/// Pure; which account is meant where none is named here, the store knows.
package struct ProgramChoice: Hashable, Sendable {
    /// Who has named the client. Raw values are what `--json` prints.
    package enum Source: String, Hashable, Sendable {
        /// An option of the helper, as the program's own configuration has it.
        case option
        case rule
        /// The client of the settings whose provider is the very host that asks.
        case provider
        /// What the environment and the settings name for everything.
        case settings
        /// The program's own, where nobody names one.
        case program
        /// Nobody: the store decides, where it has tokens of one client only.
        case nobody
    }

    /// A rule that was looked at before, and the condition that is not so.
    package struct PassedOver: Hashable, Sendable {
        package var rule: ProgramRule
        package var condition: ProgramRule.Condition
    }

    package var client: String?
    package var clientSource: Source
    package var account: String?
    package var tenant: String?
    package var scopes: [String]
    package var rule: ProgramRule?
    package var passedOver: [PassedOver]

    /// What a program asks for by itself.
    package struct Defaults: Hashable, Sendable {
        /// A well-known client that the program's service knows.
        package var client: String?
        package var scopes: [String]
        /// The one that the service belongs to, where it says so.
        package var tenant: String?
        /// Whether the host is one that these scopes are for, so that it gets a token without being named by a rule.
        package var isOwnHost: Bool

        package init(client: String? = nil, scopes: [String] = [], isOwnHost: Bool = false) {
            self.client = client
            self.scopes = scopes
            self.isOwnHost = isOwnHost
        }
    }

    /// - Parameters:
    ///   - options: client, account and scopes that the program's configuration names; they go before the rule.
    ///   - defaults: what the program asks for where nobody says it.
    /// - Returns: nil where the request names a host that is not known to be one for tokens: a link to a stranger's
    ///   host must not bring them a token.
    package init?(
        _ request: ProgramRequest, _ settings: Settings, options: CommonOptions = CommonOptions(),
        tenant: String? = nil,
        defaults: Defaults = Defaults(), namesClient: Bool = false
    ) {
        passedOver = []
        for rule in settings.rules {
            if let condition = rule.mismatch(with: request) {
                passedOver.append(PassedOver(rule: rule, condition: condition))
            } else if request.isForHost, !defaults.isOwnHost, !rule.namesHost {
                passedOver.append(PassedOver(rule: rule, condition: request.registry == nil ? .host : .registry))
            } else {
                self.rule = rule
                break
            }
        }
        let provider = settings.client(ofProviderAt: request.host)
        guard !request.isForHost || defaults.isOwnHost || rule != nil || provider != nil else { return nil }
        if let named = options.client ?? options.clientID {
            (client, clientSource) = (named, .option)
        } else if let named = rule?.client {
            (client, clientSource) = (named, .rule)
        } else if request.isForHost, !defaults.isOwnHost, let provider {
            (client, clientSource) = (provider, .provider)
        } else if namesClient || settings.defaultClient != nil || settings.clients.count == 1 {
            (client, clientSource) = (nil, .settings)
        } else if let own = defaults.client {
            (client, clientSource) = (own, .program)
        } else {
            (client, clientSource) = (nil, .nobody)
        }
        account = options.account ?? rule?.account
        self.tenant = tenant ?? rule?.tenant ?? defaults.tenant
        let scopes = options.scopes.isEmpty ? rule?.scopes ?? [] : options.scopes
        self.scopes = scopes.isEmpty ? defaults.scopes : scopes
    }
}

extension ProgramRequest {
    fileprivate var isForHost: Bool { host != nil || registry != nil }
}

extension Settings {
    /// The client whose provider has this host, such as the one of a GitLab of one's own.
    fileprivate func client(ofProviderAt host: String?) -> String? {
        guard let host else { return nil }
        return clients.first { client in
            guard let text = client.authority, let authority = try? Authority(text, kind: client.kind) else {
                return false
            }
            return authority.kind == .oidc && authority.address.hostAndPort == host
        }?.name
    }
}
