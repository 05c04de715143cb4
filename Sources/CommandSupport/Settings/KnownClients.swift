package import Identity

/// Every client that the user can name: those of the settings, those of sign-ins without settings,
/// and the well-known ones. It gives each sign-in the client by which it was made, and each client one name, which
/// listings print and `--client` accepts.
package struct KnownClients: Sendable {
    private let settings: Settings
    /// Clients of sign-ins that the settings do not have, each with its authority; one for each ID and provider.
    package let signedIn: [ClientChoice]

    /// - Parameter uses: of the sign-ins in the store; see ``TokenCache/CacheSnapshot/allUses``.
    package init(_ settings: Settings, uses: [ClientUse]) {
        self.settings = settings
        var found: [ClientChoice] = []
        for use in uses where settings.client(of: use) == nil {
            guard let address = use.authority, let authority = try? Authority(address, kind: use.kind),
                !(authority.kind == .aad && Client.wellKnown(use.clientID) != nil),
                !found.contains(where: { ClientID.isSame($0.clientID, use.clientID) && $0.isOfProvider(of: authority) })
            else { continue }
            let taken = Set(found.map(\.name))
            let name = Self.names(of: use, at: authority).first { !taken.contains($0) && !settings.knows($0) }
            found.append(
                ClientChoice(name: name ?? use.clientID, clientID: use.clientID, authority: address, kind: use.kind))
        }
        signedIn = found
    }

    /// The name under which the person signed in, else the ID; with the provider where that is another client's name.
    private static func names(of use: ClientUse, at authority: Authority) -> [String] {
        let address = authority.address
        return [use.name, use.clientID].compactMap(\.self)
            + [address.hostAndPort, address.hostAndPort + address.path].map { "\(use.clientID)@\($0)" }
    }

    // MARK: From a name to a client

    package func signedIn(named name: String) -> ClientChoice? { signedIn.first { $0.name == name } }

    // MARK: From a sign-in to its client

    /// How an account can be used, one for each client's name, the latest sign-in first.
    ///
    /// - Parameters:
    ///   - recorded: see ``TokenCache/CacheSnapshot/uses(of:clientID:)``.
    ///   - realms: the realms of a client's tokens, by which sign-ins of other programs are recognized.
    package func uses(of account: Account, recorded: [ClientUse], realms: (_ clientID: String) -> [String])
        -> [ClientUse]
    {
        var uses: [ClientUse] = []
        for clientID in account.clients where !recorded.contains(where: { ClientID.isSame($0.clientID, clientID) }) {
            uses.append(settings.derivedUse(of: account, clientID, realms: realms(clientID)))
        }
        // Without a sign-in of ours to tell which is the latest, the default client comes first.
        let usual = uses.firstIndex { $0.name != nil && $0.name == settings.defaultClient }
        if let usual { uses.insert(uses.remove(at: usual), at: 0) }
        let held = recorded.filter { use in account.clients.contains { ClientID.isSame($0, use.clientID) } }
        var names: Set<String> = []
        return (held + uses).filter { names.insert(name(of: $0) + " " + $0.clientID.asciiLowercased).inserted }
    }

    /// ``uses(of:recorded:realms:)`` of an account in a list, each with the name that listings print.
    package func rows(of overview: AccountOverview) -> [ClientUse] {
        let uses = uses(of: overview.account, recorded: overview.uses) { clientID in
            // Few sign-ins need it, as it reads the credentials.
            settings.clients.count(where: { ClientID.isSame($0.clientID, clientID) }) > 1
                || overview.account.isGuestOnly
                ? overview.realms(ofClient: clientID) : []
        }
        return uses.map { use in
            var use = use
            use.name = name(of: use)
            return use
        }
    }

    /// The client by which a sign-in was made, at the authority where it was made. Its redirect URI, scopes and secret
    /// are the settings' only at the provider for which the settings have them.
    package func choice(of use: ClientUse) -> ClientChoice {
        if let own = settings.client(of: use) { return own }
        var choice = settings.choice(id: use.clientID)
        guard let address = use.authority, let authority = try? Authority(address, kind: use.kind) else {
            return choice
        }
        if let known = signedIn.first(where: {
            ClientID.isSame($0.clientID, use.clientID) && $0.isOfProvider(of: authority)
        }) {
            choice = known
        } else if !choice.isOfProvider(of: authority) {
            choice = ClientChoice(name: settings.nameOutside(use.clientID), clientID: use.clientID)
        }
        (choice.authority, choice.kind) = (address, use.kind)
        return choice
    }

    /// The name that listings print for the client of a sign-in.
    package func name(of use: ClientUse) -> String { choice(of: use).name }
}

extension Account {
    /// Whether it is known in no tenant but others than its own.
    fileprivate var isGuestOnly: Bool { !tenantProfiles.isEmpty && !tenantProfiles.contains(where: \.isHome) }
}

extension AccountOverview {
    fileprivate func realms(ofClient clientID: String) -> [String] {
        credentials.filter { $0.kind != .refreshToken && ClientID.isSame($0.clientID, clientID) && !$0.realm.isEmpty }
            .map(\.realm)
    }
}

extension ClientChoice {
    /// The provider in the settings, else the default one.
    package var ownAuthority: Authority? { try? Authority(authority ?? Authority.defaultAddress, kind: kind) }

    /// Whether its accounts are those of this authority.
    package func isOfProvider(of authority: Authority) -> Bool {
        ownAuthority.map { $0.isOfSameProvider(as: authority) } ?? false
    }
}

extension Settings {
    /// The name of a client that these settings do not have: the well-known one, unless a client of the settings has
    /// taken it, else its ID.
    package func nameOutside(_ id: String) -> String {
        Client.wellKnown(id).map(outside) ?? id
    }

    private func outside(_ known: Client) -> String {
        [known.name, known.title].first { client(named: $0) == nil } ?? known.id
    }

    /// The names that `--client` accepts without a sign-in: of these settings, then of well-known clients.
    package var clientNames: [String] { clients.map(\.name) + Client.wellKnown.map { outside($0) } }

    /// The names of the well-known clients that the settings do not have.
    package var wellKnownNames: [String] {
        Client.wellKnown.filter { known in !clients.contains { ClientID.isSame($0.clientID, known.id) } }.map {
            outside($0)
        }
    }

    /// Whether a name is one of a client here, of a well-known client, or the ID of one.
    fileprivate func knows(_ name: String) -> Bool {
        clients.contains { $0.name == name || $0.clientID == name } || Client.wellKnown(name) != nil
    }

    /// The client by whose name, else at whose authority, the person signed in; at the remembered authority, if that is
    /// another one of the same provider.
    fileprivate func client(of use: ClientUse) -> ClientChoice? {
        let own = clients.filter { ClientID.isSame($0.clientID, use.clientID) }
        guard let address = use.authority, let authority = try? Authority(address, kind: use.kind) else {
            return own.first { $0.name == use.name }
        }
        let near = own.filter { $0.isOfProvider(of: authority) }
        guard
            var found = near.first(where: { $0.name == use.name }) ?? near.first(where: { $0.ownAuthority == authority }
            )
                // A client that was renamed, or that a program without names signed in by.
                ?? (near.count == 1 ? near.first : nil)
        else { return nil }
        if found.ownAuthority != authority { (found.authority, found.kind) = (address, use.kind) }
        return found
    }

    /// How an account that another program signed in can be used: by the client whose authority fits its realms best,
    /// else in a directory of which there are tokens, else in its home tenant.
    fileprivate func derivedUse(of account: Account, _ clientID: String, realms: [String]) -> ClientUse {
        let own = clients.filter { ClientID.isSame($0.clientID, clientID) }
        let ranked = own.map { client in
            (client: client, fit: client.fit(of: account, realms), isUsual: client.name == defaultClient)
        }
        let best = ranked.filter { $0.fit > 0 }.max { ($0.fit, $0.isUsual ? 1 : 0) < ($1.fit, $1.isUsual ? 1 : 0) }
        let realm = realms.first { $0.asciiLowercased == account.homeTenantID?.asciiLowercased } ?? realms.first
        let directory = realm ?? account.homeTenantID ?? ""
        if let best = best?.client {
            return ClientUse(
                clientID: clientID, name: best.name, authority: best.authority ?? Authority.defaultAddress,
                kind: best.kind, directory: directory)
        }
        if let issuer = account.issuer {
            return ClientUse(
                clientID: clientID, authority: issuer, kind: Authority.kind(ofIssuer: issuer), directory: directory)
        }
        guard let cloud = Cloud.containing(host: account.environment) else {
            return ClientUse(clientID: clientID, directory: directory)
        }
        let isAtHome = realm == nil || realm?.asciiLowercased == account.homeTenantID?.asciiLowercased
        func address(_ tenant: String) -> String { "https://\(cloud.preferredNetwork)/\(tenant)" }
        // The realm of an entry need not be a tenant.
        let isTenant = !isAtHome && (try? Authority(address(directory))) != nil
        let tenant =
            account.homeTenantID == Account.personalTenant ? "consumers" : isTenant ? directory : "organizations"
        return ClientUse(clientID: clientID, authority: address(tenant), directory: directory)
    }
}

extension ClientChoice {
    /// How well the authority fits an account with tokens in these realms; 0 if it cannot serve it.
    fileprivate func fit(of account: Account, _ realms: [String]) -> Int {
        guard let authority = ownAuthority else { return 0 }
        guard authority.kind == .aad else {
            return authority.mayHave(account, issuer: behaviour.endpoints.issuer) ? 3 : 0
        }
        guard account.issuer == nil, Cloud.isSame(authority.environment, account.environment) else { return 0 }
        let isPersonal = account.homeTenantID == Account.personalTenant
        let tenant = authority.tenant.asciiLowercased
        switch tenant {
        case "common": return 2
        case "organizations": return isPersonal ? 0 : 2
        case "consumers": return isPersonal ? 3 : 0
        case _ where tenant.isGUID:
            if realms.contains(where: { $0.asciiLowercased == tenant }) { return 4 }
            return tenant == account.homeTenantID?.asciiLowercased ? 3 : 0
        default:
            let domains = [account.domain] + realms.map { account.domain(in: $0) }
            // A tenant can have domains that no username shows.
            return domains.contains { $0?.asciiLowercased == tenant } ? 4 : isPersonal ? 0 : 1
        }
    }
}

extension Authority {
    /// Whether an account can be of this authority, by its issuer and environment alone.
    fileprivate func mayHave(_ account: Account, issuer: String?) -> Bool {
        guard Cloud.isSame(environment, account.environment) else { return false }
        guard !kind.isEntra else { return account.issuer == nil && isOfPolicy(account) }
        return account.issuer == nil || account.issuer == issuer.map(Issuer.normalized) ?? self.issuer
    }
}
