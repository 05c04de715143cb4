import Identity

package enum RemovalKind: Equatable, Sendable {
    case remove, signOut

    var verb: String { self == .remove ? "Remove" : "Sign out" }

    func effect(_ account: Account, _ use: ClientUse, _ choices: RemovalChoices, _ id: RequestID) -> Effect {
        switch self {
        case .remove: .remove(account, use, choices, id)
        case .signOut: .signOut(account, use, choices, id)
        }
    }
}

package struct RemovalChoices: Hashable, Sendable {
    /// From every client, with all saved data of the account.
    package var wipes = false
    /// Also revoke issued access tokens, one by one; only at a sign-out.
    package var revokesAccessTokens = false
    /// Use GitHub's service for leaked tokens, which sends mail to the user; only at a sign-out.
    package var revokesAsLeaked = false
    /// Only at a sign-out.
    package var endsBrowserSession = true

    mutating func toggle(_ command: Command, _ kind: RemovalKind) {
        switch command {
        case .toggleWipe: wipes.toggle()
        case .toggleAccessTokens where kind == .signOut: revokesAccessTokens.toggle()
        case .toggleLeaked where kind == .signOut: revokesAsLeaked.toggle()
        case .toggleSession where kind == .signOut: endsBrowserSession.toggle()
        default: break
        }
    }
}
