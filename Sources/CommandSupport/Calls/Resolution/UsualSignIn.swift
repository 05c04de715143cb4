import Identity

/// The sign-in of a request that names none. Each member is a default: it gives way to an option, to a rule for the
/// program and to what the program asks for. The account and the tenant are used only with ``client``.
package struct UsualSignIn: Hashable, Sendable {
    package enum Source: String, Hashable, Sendable {
        /// `FOYER_CLIENT`, `FOYER_ACCOUNT` and `FOYER_TENANT`.
        case environment
        /// A rule of the settings for a folder.
        case rule
        /// `client`, `account` and `tenant` at the top of the settings.
        case settings
    }

    package var source: Source
    /// By name or ID.
    package var client: String?
    package var account: String?
    package var tenant: String?
    /// The folder's rule.
    package var rule: ProgramRule?

    package var isEmpty: Bool { client == nil && account == nil && tenant == nil }
}

extension ResolutionWorld {
    /// The usual sign-ins that are set, the one with the highest precedence first. For programs, rules of folders are
    /// among their other rules.
    package func usualSignIns(ofProgram isProgram: Bool) -> [UsualSignIn] {
        let shell = UsualSignIn(source: .environment, client: client, account: account, tenant: tenant)
        let top = UsualSignIn(
            source: .settings, client: settings.defaultClient, account: settings.defaultAccount,
            tenant: settings.defaultTenant)
        return ([shell, isProgram ? nil : ofFolder] as [UsualSignIn?] + [top]).compactMap(\.self).filter { !$0.isEmpty }
    }

    /// Set by the first rule that is for this folder alone.
    package var ofFolder: UsualSignIn? {
        guard settings.rules.contains(where: \.isOfFolder), let here = folder() else { return nil }
        return settings.rules.first { $0.isOfFolder && $0.mismatch(with: here) == nil }.map {
            UsualSignIn(source: .rule, client: $0.client, account: $0.account, tenant: $0.tenant, rule: $0)
        }
    }

    /// The first usual sign-in for a client, which can have no account.
    func usualSignIn(for client: ClientChoice?, ofProgram isProgram: Bool) -> UsualSignIn? {
        usualSignIns(ofProgram: isProgram).first { usual in
            guard let name = usual.client else { return true }
            guard let client, let named = try? self.client(named: name) else { return false }
            return ClientID.isSame(named.clientID, client.clientID) && Client.isSameName(named.name, client.name)
        }
    }
}

extension ResolvedClient.Source {
    package var words: String {
        switch self {
        case .option: "set by an option"
        case .asked: "requested by the program"
        case .environment: "set by FOYER_CLIENT"
        case .rule: "set by the rule"
        case .provider: "its provider's host"
        case .settings: "from the settings"
        case .program: "the program's default"
        case .account: "by which the account has signed in"
        case .remembered: "the first to sign in"
        case .nobody: "the only one in the store"
        }
    }
}
