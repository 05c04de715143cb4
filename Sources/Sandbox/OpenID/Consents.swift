struct Consents: Sendable {
    private struct Agreement: Hashable, Sendable {
        var clientId: String
        var username: String
    }

    private var given: [Agreement: Set<String>] = [:]

    static func key(_ scope: String, entra: Bool) -> String { entra ? Scopes.key(scope) : scope }

    private func consented(_ clientId: String, _ user: User) -> Set<String> {
        given[Agreement(clientId: clientId, username: user.username)] ?? []
    }

    mutating func add(_ clientId: String, _ user: User, _ keys: some Sequence<String>) {
        given[Agreement(clientId: clientId, username: user.username), default: []].formUnion(keys)
    }

    mutating func remove(_ clientId: String, _ user: User) {
        given[Agreement(clientId: clientId, username: user.username)] = nil
    }

    /// Also revokes permissions that were requested and not granted.
    mutating func settle(_ clientId: String, _ user: User, asked: [String], given keys: [String]) {
        given[Agreement(clientId: clientId, username: user.username), default: []].subtract(asked)
        add(clientId, user, keys)
    }

    /// The permissions that still need consent. First-party (family) clients are preauthorized, as at Entra ID.
    func openQuestions(_ scopes: Scopes, client: HostedClient, user: User, issuer: HostedIssuer) -> [String] {
        if client.family || !issuer.asksConsent { return [] }
        let given = consented(client.clientId, user)
        return scopes.questions(entra: issuer.isEntra).filter {
            !given.contains(Consents.key($0, entra: issuer.isEntra))
        }
    }

    func grantable(_ scopes: Scopes, client: HostedClient, user: User, issuer: HostedIssuer) -> [String] {
        guard issuer.asksConsent || issuer.isEntra else { return scopes.asked }
        if client.family || !issuer.asksConsent {
            let all = scopes.questions(entra: issuer.isEntra).map { Consents.key($0, entra: issuer.isEntra) }
            return scopes.granted(from: Set(all), entra: issuer.isEntra)
        }
        return scopes.granted(from: consented(client.clientId, user), entra: issuer.isEntra)
    }
}
