package import CommandSupport
package import FoundationEssentials
package import Identity
import SilentCore

extension TokenCall {
    /// The ID token of the last sign-in or refresh, else of a refresh now. Never prompts.
    ///
    /// - Parameters:
    ///   - forceRefresh: whether the cached one was rejected.
    ///   - renewsAhead: whether to refresh one that expires soon, for later readers.
    /// - Throws: the errors of a silent call; `interactionRequired` if the provider issues one at sign-ins alone;
    ///   `notFound` if it issues none.
    package func idToken(
        _ calls: SilentCalls, forceRefresh: Bool = false, renewsAhead: Bool = false, at now: Date = Date()
    ) async throws(Failure) -> IssuedToken {
        let stored = storedIDToken(.cache, in: snapshot, at: now)
        if !forceRefresh, let stored, !(renewsAhead && stored.isDue(at: now)) { return stored }
        do throws(Failure) { _ = try await calls.acquire(self, forceRefresh: true) } catch
            where error.result?.accessToken.isEmpty == true
        {
            // Only an ID token was issued; it is in the store.
        } catch {
            // The cached one was not rejected, so it is valid until it expires.
            guard !forceRefresh, var stored else { throw hinted(error) }
            stored.notRenewed = error
            return stored
        }
        let renewed = try cached.snapshot()
        if let token = storedIDToken(.refresh, in: renewed, at: now) { return token }
        throw withoutIDToken(in: renewed, at: now)
    }
}
