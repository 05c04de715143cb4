/// The two ways to remove an account, named wherever they are offered.
package enum RemovalKind: Equatable, Sendable {
    case remove, signOut

    var verb: String { self == .remove ? "Remove" : "Sign out" }
}

/// How far an account goes, as the person has chosen.
package struct RemovalChoices: Hashable, Sendable {
    /// From every client, with all that is noted of the account.
    package var wipes = false
    /// Access tokens that are out are revoked one by one as well; only at a sign-out.
    package var revokesAccessTokens = false
    /// Only at a sign-out.
    package var endsBrowserSession = true

    mutating func toggle(_ command: Command, _ kind: RemovalKind) {
        switch command {
        case .toggleWipe: wipes.toggle()
        case .toggleAccessTokens where kind == .signOut: revokesAccessTokens.toggle()
        case .toggleSession where kind == .signOut: endsBrowserSession.toggle()
        default: break
        }
    }
}
