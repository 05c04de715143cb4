package import Identity

/// The person whom a program names in its request, such as git by the username of a URL. The program gets that person's
/// token or none.
package struct NamedPerson: Hashable, Sendable {
    /// As the program wrote it; nil if it names nobody.
    package let name: String?

    /// For a protocol or a request that names no person.
    package static let nobody = NamedPerson(name: nil)

    private init(name: String?) { self.name = name }

    /// - Parameters:
    ///   - username: as the program wrote it. A placeholder, such as `x-access-token`, names nobody.
    ///   - organization: of the request's URL, which Azure DevOps writes in place of a username.
    package init(username: String?, organization: String? = nil) {
        guard let username, !username.isEmpty, !Self.placeholders.contains(username.asciiLowercased),
            username.asciiLowercased != organization?.asciiLowercased
        else {
            self = .nobody
            return
        }
        name = username
    }

    /// Lower case. Words that stand where a protocol wants a username, next to a token as the password.
    private static let placeholders: Set<String> = Set(KnownServer.all.compactMap { $0.git?.username.asciiLowercased })
        .union([
            "git", "token", "<token>", "__token__", "personalaccesstoken", "pat", "vsssessiontoken", "x-oauth-basic",
            "x-bitbucket-api-token-auth", "gitlab-ci-token", "oauth2accesstoken", "oauth2", "x-access-token",
            "x-token-auth", "00000000-0000-0000-0000-000000000000",
        ])

    /// Whether the name is one of a directory, as Entra ID and most OpenID Connect providers have them. A name without
    /// `@` is a login of the server that the token is for, which need not be the account's username at its provider.
    package var isAddress: Bool { name?.contains("@") ?? false }

    /// The name that always means a person, whoever is signed in.
    package var address: String? { isAddress ? name : nil }

    /// Whether this names somebody else than the account.
    package func excludes(_ account: Account) -> Bool {
        guard let name, !account.isNamedInFull(by: name) else { return false }
        return isAddress || account.isNamedByLogin
    }
}

extension NamedPerson {
    /// Who is meant by the name in a store.
    package enum Match: Hashable, Sendable {
        case nobody
        case account(Account)
        /// The name is a person's who has not signed in.
        case absent(String)
    }

    /// - Parameters:
    ///   - named: the provider's accounts that have the name.
    ///   - own: the client's accounts. If they have logins for usernames, as at GitHub, a login that none of them has
    ///     is another person's. If they have addresses, a login says nothing about them: it may be the server's name of
    ///     the same person, or any word, so it names nobody.
    /// - Throws: ``Refusal/ambiguousAccount(_:_:clients:)``.
    func match(_ named: [Account], own: [Account]) throws(Refusal) -> Match {
        guard let name else { return .nobody }
        let all = named.named(by: name)
        let mine = all.filter { account in own.contains { $0.id.isSamePerson(as: account.id) } }
        let found = mine.isEmpty ? all : mine
        guard found.count < 2 else { throw .ambiguousAccount(name, found) }
        if let account = found.first { return .account(account) }
        return isAddress || own.contains(where: \.isNamedByLogin) ? .absent(name) : .nobody
    }
}

extension Account {
    fileprivate var isNamedByLogin: Bool { !username.isEmpty && !username.contains("@") }
}
