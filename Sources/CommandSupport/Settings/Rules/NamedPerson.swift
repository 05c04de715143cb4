package import Identity

/// The person that a program names in its request, such as git by the username of a URL. The program gets that person's
/// token or none.
package struct NamedPerson: Hashable, Sendable {
    /// As the program wrote it; nil if it names no person.
    package let name: String?

    /// For a protocol or a request that names no person.
    package static let nobody = NamedPerson(name: nil)

    private init(name: String?) { self.name = name }

    /// - Parameters:
    ///   - username: as the program wrote it. A placeholder, such as `x-access-token`, names no person.
    ///   - organization: of the request's URL, which Azure DevOps writes in place of a username.
    package init(username: String?, organization: String? = nil) {
        guard let username, !username.isEmpty, !Self.isPlaceholder(username.asciiLowercased),
            username.asciiLowercased != organization?.asciiLowercased
        else {
            self = .nobody
            return
        }
        name = username
    }

    /// Words for the username of a protocol, next to a token as the password.
    ///
    /// - Parameter name: in lower case.
    private static func isPlaceholder(_ name: String) -> Bool {
        switch name {
        case "git", "token", "<token>", "__token__", "personalaccesstoken", "pat", "vsssessiontoken", "x-oauth-basic",
            "x-bitbucket-api-token-auth", "gitlab-ci-token", "00000000-0000-0000-0000-000000000000":
            true
        // Making the table of servers costs a cached token more than the rest of this.
        default: !name.contains("@") && KnownServer.all.contains { $0.git?.username.asciiLowercased == name }
        }
    }

    /// Whether the name is one of a directory, as Entra ID and most OpenID Connect providers have them. A name without
    /// `@` is a login of the server that the token is for, which need not be the account's username at its provider.
    package var isAddress: Bool { name?.contains("@") ?? false }

    /// The name if it means a person whatever the store contains.
    package var address: String? { isAddress ? name : nil }

    /// Whether this names another person than the account's.
    package func excludes(_ account: Account) -> Bool {
        guard let name, !account.isNamedInFull(by: name) else { return false }
        return isAddress || account.isNamedByLogin
    }
}

extension Account {
    /// Whether the username is a login of one server, as at GitHub.
    var isNamedByLogin: Bool { !username.isEmpty && !username.contains("@") }
}
