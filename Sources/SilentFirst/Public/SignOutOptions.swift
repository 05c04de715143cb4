public import Identity
import TokenCache

/// How far a sign-out goes. As it is, it revokes the refresh tokens, removes the account from this client and ends the
/// browser's session.
public struct SignOutOptions: Hashable, Sendable {
    /// Whether every client's credentials of the account go, and the account itself (MSAL's `wipeAccount`).
    public var wipe: Bool
    /// Whether the provider is asked to revoke refresh tokens (RFC 7009); MSAL never does.
    public var revokesTokens: Bool
    /// Whether access tokens that are still out are revoked one by one as well, for providers that do not take them
    /// along with the refresh token.
    public var revokesAccessTokens: Bool
    /// Whether the page that ends the browser's session is opened, where the provider has one.
    public var endsBrowserSession: Bool

    /// With nothing named: refresh tokens are revoked, this client's part is removed, the browser's session is ended.
    public init(
        wipe: Bool = false, revokesTokens: Bool = true, revokesAccessTokens: Bool = false,
        endsBrowserSession: Bool = true
    ) {
        self.wipe = wipe
        self.revokesTokens = revokesTokens
        self.revokesAccessTokens = revokesAccessTokens
        self.endsBrowserSession = endsBrowserSession
    }
}

extension PublicClientApplication {
    /// Removes the account from this client's part of the store: no network, other clients and the browser keep theirs.
    ///
    /// Afterwards silent calls of this client answer `interactionRequired`, also when another client of the family
    /// still holds a refresh token, and the next sign-in of the account asks for credentials whatever the browser
    /// holds. An account that is not there is no error, whatever kind of cache it came from; MSAL fails for accounts
    /// that only a legacy cache has, after it removed their tokens.
    /// - Parameters:
    ///   - account: whom to remove; found by its identifier and its environment.
    ///   - wipe: takes every client's credentials of the account, and all that is noted of it.
    /// - Returns: how many entries went.
    /// - Throws: ``/Identity/Failure`` with code `storeError`; nothing was changed then.
    @discardableResult
    public func remove(_ account: Account, wipe: Bool = false) async throws(Failure) -> Int {
        try await BlockingExecutor.run { [context] () throws(Failure) in try context.remove(account, wipe: wipe) }
    }

    /// Revokes what the provider lets it revoke, removes the account for this client, and opens the page that ends the
    /// browser's session where the provider has one. A refusal of one part does not stop the next, and the outcome
    /// tells them apart.
    ///
    /// - Parameters:
    ///   - account: whom to sign out; found by its identifier and its environment.
    ///   - options: how far the sign-out goes.
    ///   - userAgents: opens the page that ends the browser's session.
    ///   - onStep: called with each step as it is taken.
    /// - Returns: what became of each part.
    /// - Throws: ``/Identity/Failure`` with code `storeError` when the removal itself is not possible.
    public func signOut(
        _ account: Account, options: SignOutOptions = SignOutOptions(), userAgents: UserAgents,
        onStep: @escaping @Sendable (Step) -> Void = { _ in }
    ) async throws(Failure) -> SignOutOutcome {
        let signOut = SignOut(
            context: context, account: account, options: options, userAgents: userAgents, record: StepRecorder(onStep))
        return try await BlockingExecutor.run { () throws(Failure) in try await signOut.run() }
    }
}
