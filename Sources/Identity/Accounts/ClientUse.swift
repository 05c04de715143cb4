package import FoundationEssentials

/// How a ``SignIn`` was or can be used: under which client's name, at which authority, in which directory. One refresh
/// token serves several of them, which MSAL's cache does not tell apart.
package struct ClientUse: Sendable {
    package var clientID: String
    /// The client's name when the person signed in; nil if it had none.
    package var name: String?
    /// The URL of the authority at which the person signed in; nil if another program signed in.
    package var authority: String?
    /// The kind of the authority, if its URL does not tell.
    package var kind: Authority.Kind?
    /// The realm of the tokens: a tenant ID at Entra ID, empty if the provider has none or it is unknown.
    package var directory: String
    /// When the person signed in.
    package var at: Date?

    package init(
        clientID: String, name: String? = nil, authority: String? = nil, kind: Authority.Kind? = nil,
        directory: String = "", at: Date? = nil
    ) {
        (self.clientID, self.name, self.authority, self.kind) = (clientID, name, authority, kind)
        (self.directory, self.at) = (directory, at)
    }

    /// The name that `--client` accepts, else the ID.
    package var plainName: String { name ?? clientID }

    /// ``plainName`` as screens show it; see ``Client/shownName(_:of:)``.
    package var shownName: String { Client.shownName(plainName, of: clientID) }

    /// The number of uses that a store remembers of one sign-in; older ones are dropped.
    package static let most = 8
    /// The longest text that is remembered, in UTF-8 bytes.
    package static let longestText = 512
}

extension ClientUse: Hashable {
    /// The time is not part of its identity.
    package static func == (one: ClientUse, other: ClientUse) -> Bool {
        ClientID.isSame(one.clientID, other.clientID) && one.name == other.name && one.authority == other.authority
            && one.kind == other.kind && one.directory == other.directory
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(clientID.asciiLowercased)
        hasher.combine(name)
        hasher.combine(authority)
        hasher.combine(directory)
    }
}
