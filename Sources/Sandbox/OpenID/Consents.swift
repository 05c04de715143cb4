/// What people have agreed to that applications may do, and what they still have to be asked.
struct Consents: Sendable {
    private struct Agreement: Hashable, Sendable {
        var clientId: String
        var username: String
    }

    /// The keys of the permissions that were given.
    private var given: [Agreement: Set<String>] = [:]

    static func key(_ scope: String, entra: Bool) -> String { entra ? Scopes.key(scope) : scope }

    private func consented(_ clientId: String, _ user: User) -> Set<String> {
        given[Agreement(clientId: clientId, username: user.username)] ?? []
    }

    mutating func add(_ clientId: String, _ user: User, _ keys: some Sequence<String>) {
        given[Agreement(clientId: clientId, username: user.username), default: []].formUnion(keys)
    }

    /// What was asked for and not given is taken back.
    mutating func settle(_ clientId: String, _ user: User, asked: [String], given keys: [String]) {
        given[Agreement(clientId: clientId, username: user.username), default: []].subtract(asked)
        add(clientId, user, keys)
    }

    /// The permissions that still have to be asked for. First-party (family) clients are consented beforehand, as at
    /// Entra.
    func openQuestions(_ scopes: Scopes, client: HostedClient, user: User, issuer: HostedIssuer) -> [String] {
        if client.family || !issuer.asksConsent { return [] }
        let given = consented(client.clientId, user)
        return scopes.questions(entra: issuer.isEntra).filter {
            !given.contains(Consents.key($0, entra: issuer.isEntra))
        }
    }

    /// What may be put into a token for this client and user now.
    func grantable(_ scopes: Scopes, client: HostedClient, user: User, issuer: HostedIssuer) -> [String] {
        guard issuer.asksConsent || issuer.isEntra else { return scopes.asked }
        if client.family || !issuer.asksConsent {
            let all = scopes.questions(entra: issuer.isEntra).map { Consents.key($0, entra: issuer.isEntra) }
            return scopes.granted(from: Set(all), entra: issuer.isEntra)
        }
        return scopes.granted(from: consented(client.clientId, user), entra: issuer.isEntra)
    }
}
