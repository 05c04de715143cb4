package import CommandSupport
import FoundationEssentials
package import Identity
package import TokenCalls

// The only place that records token requests of programs: every path to a token goes through here.
extension ProgramCall {
    /// Like ``silentToken(_:)``, but records the result.
    package func token(_ calls: SilentCalls) async throws(Failure) -> IssuedToken {
        try await noting { () throws(Failure) in try await silentToken(calls) }
    }

    package func noting(_ body: () async throws(Failure) -> IssuedToken) async throws(Failure) -> IssuedToken {
        try await call.noting(for: request, body)
    }
}

extension TokenCall {
    package func noting(
        for request: ProgramRequest, _ body: () async throws(Failure) -> IssuedToken
    ) async throws(Failure) -> IssuedToken {
        let result: Result<IssuedToken, Failure>
        do throws(Failure) { result = .success(try await body()) } catch { result = .failure(error) }
        ProgramUses(context.environment).note(ProgramUse(of: request, by: self, result, at: Date()))
        return try result.get()
    }
}
