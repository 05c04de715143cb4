public import Identity
import SilentCore
package import TokenCache

/// The scope of a sign-out. By default, revokes refresh tokens, removes the account and ends the browser session.
public struct SignOutOptions: Hashable, Sendable {
    /// Whether to remove the account and all clients' credentials for it (MSAL's `wipeAccount`).
    public var wipe: Bool
    /// Whether to revoke refresh tokens at the provider (RFC 7009), and access tokens of clients without one; MSAL
    /// never does.
    public var revokesTokens: Bool
    /// Whether to also revoke access tokens one by one, for providers that do not revoke them with the refresh token.
    public var revokesAccessTokens: Bool
    /// Whether to use a server's service for leaked tokens if it has no other way to revoke (GitHub, which then
    /// notifies the user by mail).
    public var revokesAsLeaked: Bool
    /// Whether to forget tokens that the provider could not be asked to revoke. By default they are kept, never used
    /// again, and revoked by the next sign-out of the account.
    public var givesUpOnProvider: Bool
    /// Whether to open the page that ends the browser session, if the provider has one.
    public var endsBrowserSession: Bool

    /// Creates options; by default, revokes refresh tokens, removes the account here and ends the browser session.
    public init(
        wipe: Bool = false, revokesTokens: Bool = true, revokesAccessTokens: Bool = false,
        revokesAsLeaked: Bool = false, givesUpOnProvider: Bool = false, endsBrowserSession: Bool = true
    ) {
        self.wipe = wipe
        self.revokesTokens = revokesTokens
        self.revokesAccessTokens = revokesAccessTokens
        self.revokesAsLeaked = revokesAsLeaked
        self.givesUpOnProvider = givesUpOnProvider
        self.endsBrowserSession = endsBrowserSession
    }
}

extension SignOutOptions: Codable {
    private enum CodingKeys: String, CodingKey {
        case wipe, revokesTokens, revokesAccessTokens, revokesAsLeaked, givesUpOnProvider, endsBrowserSession
    }

    /// The members by their names; a missing one has the default of the initializer.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let usual = SignOutOptions()
        self.init(
            wipe: try values.value(.wipe, or: usual.wipe),
            revokesTokens: try values.value(.revokesTokens, or: usual.revokesTokens),
            revokesAccessTokens: try values.value(.revokesAccessTokens, or: usual.revokesAccessTokens),
            revokesAsLeaked: try values.value(.revokesAsLeaked, or: usual.revokesAsLeaked),
            givesUpOnProvider: try values.value(.givesUpOnProvider, or: usual.givesUpOnProvider),
            endsBrowserSession: try values.value(.endsBrowserSession, or: usual.endsBrowserSession))
    }
}

extension PublicClientApplication {
    /// Removes the account from this client's part of the store. Works offline; others and the browser keep theirs.
    ///
    /// Afterwards, silent calls of this client fail with `interactionRequired`, even if the family still has a refresh
    /// token, and the next sign-in of the account requires credentials. Removing a nonexistent account is not an error,
    /// whatever cache it came from; MSAL fails for accounts of a legacy cache after removing their tokens.
    /// - Parameters:
    ///   - account: the account; identified by its identifier and environment.
    ///   - wipe: whether to remove all clients' credentials of the account and everything recorded about it.
    /// - Returns: the number of removed entries.
    /// - Throws: ``/Identity/Failure`` with code `notFound` for an account of another provider, `storeError`; nothing
    ///   has changed then.
    @discardableResult
    public func remove(_ account: Account, wipe: Bool = false) async throws(Failure) -> Int {
        try await BlockingExecutor.run { [context] () throws(Failure) in
            try context.end(context.held(account), wipe: wipe).count
        }
    }

    /// Like ``remove(_:wipe:)``, with what ``restore(_:)`` needs; nil if the removal is final.
    package func removeKeepingEntries(_ account: Account, wipe: Bool) async throws(Failure)
        -> (count: Int, entries: RemovedEntries?)
    {
        try await BlockingExecutor.run { [context] () throws(Failure) in
            try context.end(context.held(account), wipe: wipe, keepsEntries: true)
        }
    }

    /// - Throws: `storeError` if the account has signed in again since.
    package func restore(_ removed: RemovedEntries) async throws(Failure) {
        try await BlockingExecutor.run { [context] () throws(Failure) in
            let outcome: Restoration
            do throws(StoreError) { outcome = try context.cache.restore(removed) } catch { throw Failure(error) }
            switch outcome {
            case .done: break
            case .signedInSince: throw Failure(.storeError, "the account has signed in again since")
            case .endedSince: throw Failure(.storeError, "the account has signed in again and was signed out since")
            }
        }
    }

    /// Revokes tokens as far as the provider allows it, removes the account for this client, and opens the page that
    /// ends the browser session, if any. A failed part does not stop the next; the outcome reports each.
    ///
    /// - Parameters:
    ///   - account: the account; identified by its identifier and environment.
    ///   - options: the scope of the sign-out.
    ///   - userAgents: opens the page that ends the browser session.
    ///   - onStep: called for each step.
    /// - Returns: the result of each part.
    /// - Throws: ``/Identity/Failure`` with code `notFound` for an account of another provider, before anything is sent
    ///   or changed; `storeError` if the removal itself fails.
    public func signOut(
        _ account: Account, options: SignOutOptions = SignOutOptions(), userAgents: UserAgents,
        onStep: @escaping @Sendable (Step) -> Void = { _ in }
    ) async throws(Failure) -> SignOutOutcome {
        let record = recorder(nil, onStep)
        return try await BlockingExecutor.run { [context] () throws(Failure) in
            try await SignOut(
                context: context.watched, held: context.held(account), options: options, userAgents: userAgents,
                record: record
            ).run()
        }
    }

    /// Tries an unfinished sign-out again: only revocation is left of it.
    ///
    /// - Returns: whether it is finished.
    package func finishSignOut(_ account: Account) async throws(Failure) -> Bool {
        let record = recorder(nil) { _ in }
        return try await BlockingExecutor.run { [context] () throws(Failure) in
            try await SignOut(
                context: context, held: context.held(account), options: SignOutOptions(endsBrowserSession: false),
                userAgents: .deviceCodeOnly, record: record
            ).finish()
        }
    }
}
