// Programs serves other programs in their own protocols: the managed-identity endpoint, and what the credential helpers
// cannot answer from the cache. It must not choose the account (the resolution does) or prompt the user (foyer-main
// does).

package import CommandSupport
package import Helpers
package import Identity
package import TokenCalls

extension ProgramCall {
    /// Never prompts, and records nothing. With several accounts, the error's hint is the rule to add.
    package func silentToken(_ calls: SilentCalls) async throws(Failure) -> IssuedToken {
        if let refusal { throw refusal }
        do throws(Failure) {
            if resolution.by.query.isIDToken {
                return try await call.idToken(calls, forceRefresh: call.request.forceRefresh)
            }
            if let token = try cachedToken() { return token }
            // For a named account, no other entries were read.
            if resolution.by.account == nil { call.context.noteOnlyClient(in: call.snapshot) }
            switch call.answerOfAgent().answer {
            case .token(let answer): if let token = IssuedToken(answer) { return token }
            case .failure(let failure): throw failure
            case nil: break
            }
            return IssuedToken(try await calls.acquire(call).token)
        } catch { throw call.hinted(error) }
    }

    /// Like ``silentToken(_:)``, but records the result.
    package func token(_ calls: SilentCalls) async throws(Failure) -> IssuedToken {
        try await noting { () throws(Failure) in try await silentToken(calls) }
    }
}
