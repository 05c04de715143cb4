package import FoundationEssentials
package import Identity

/// Why nothing but a sign-in by a person helps.
package enum InteractionReason: Hashable, Sendable {
    /// No account of this client is there, at the provider of this name.
    case nobodySignedIn(provider: String)
    /// The account was signed out of this client, and not signed in again since.
    case signedOut(Account)
    /// The account is of another cloud or issuer than the authority that is asked; its tokens are never sent there.
    case otherProvider(Account, asked: Authority)
    /// The key that the account's refresh token is bound to is gone.
    case proofKeyMissing(Account)
    /// Neither a token that serves nor one that could be redeemed is there.
    case noCredential(Account)
    /// The provider asked for the person a moment ago, and would give the same answer until then.
    case askedByProvider(Failure, until: Date)

    package var account: Account? {
        switch self {
        case .nobodySignedIn, .askedByProvider: nil
        case .signedOut(let account), .otherProvider(let account, _), .proofKeyMissing(let account),
            .noCredential(let account):
            account
        }
    }

    /// What the silent call ends with.
    package var failure: Failure {
        switch self {
        case .nobodySignedIn(let provider):
            Failure(.interactionRequired, "nobody is signed in for this client at \(provider)")
        case .signedOut(let account):
            Failure(.interactionRequired, "\(account.label) was signed out of this client")
        case .otherProvider(let account, let asked):
            Failure(
                .interactionRequired,
                "\(account.label) is signed in at another provider, \(account.provider), not at \(asked)",
                hint: "a refresh token is never sent to another provider or cloud; sign in there")
        case .proofKeyMissing(let account):
            Failure(
                .interactionRequired,
                "the key that the sign-in of \(account.label) is bound to is no longer in the store",
                hint: "sign in again; a bound refresh token is never sent without a proof")
        case .noCredential(let account):
            Failure(.interactionRequired, "no usable token for \(account.label)")
        case .askedByProvider(let failure, _): failure
        }
    }
}

/// Why a request cannot be made definite.
enum Unresolved: Error {
    case needsPerson(InteractionReason)
    /// The request, the settings or the store are in the way, and no sign-in mends that.
    case failed(Failure)
}
