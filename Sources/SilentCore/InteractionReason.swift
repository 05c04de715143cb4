package import FoundationEssentials
package import Identity

/// The reason that only an interactive sign-in helps.
package enum InteractionReason: Hashable, Sendable {
    /// No account of this client is signed in at the provider with this name.
    case nobodySignedIn(provider: String)
    /// The account was signed out of this client, and not signed in since.
    case signedOut(Account)
    /// A sign-out of the account is not finished: the provider has not revoked its tokens yet.
    case signingOut(Account)
    /// The account belongs to a different cloud or issuer than requested; its tokens are never sent there.
    case otherProvider(Account, asked: Authority)
    case proofKeyMissing(Account)
    /// There is neither a usable access token nor a refresh token.
    case noCredential(Account)
    /// No refresh can meet the resource's demand.
    case stepUp(Account, StepUpChallenge)
    /// The provider recently required a sign-in; the response is reused until this time.
    case askedByProvider(Failure, until: Date)

    package var account: Account? {
        switch self {
        case .nobodySignedIn, .askedByProvider: nil
        case .signedOut(let account), .signingOut(let account), .otherProvider(let account, _),
            .proofKeyMissing(let account), .noCredential(let account), .stepUp(let account, _):
            account
        }
    }

    package var failure: Failure {
        switch self {
        case .nobodySignedIn(let provider):
            Failure(.interactionRequired, "no account is signed in for this client at \(provider)")
        case .signedOut(let account):
            Failure(.interactionRequired, "\(account.label) was signed out of this client", naming: account.names)
        case .signingOut(let account):
            Failure(
                .interactionRequired,
                "\(account.label) is being signed out: the provider has not revoked its tokens yet",
                naming: account.names)
        case .otherProvider(let account, let asked):
            Failure(
                .interactionRequired,
                "\(account.label) is signed in at another provider, \(account.provider), not at \(asked)",
                hint: "a refresh token is never sent to another provider or cloud; sign in there",
                naming: account.names)
        case .proofKeyMissing(let account):
            Failure(
                .interactionRequired,
                "the proof key of \(account.label) is missing from the store",
                hint: "sign in again; a bound refresh token is never sent without a proof", naming: account.names)
        case .noCredential(let account):
            Failure(.interactionRequired, "no usable token for \(account.label)", naming: account.names)
        case .stepUp(_, let challenge): Failure(.interactionRequired, "the resource requires \(challenge.words)")
        case .askedByProvider(let failure, _): failure
        }
    }
}

package enum ResolutionError: Error {
    case needsPerson(InteractionReason)
    /// The request, the settings or the store prevent it; signing in does not help.
    case failed(Failure)
}
