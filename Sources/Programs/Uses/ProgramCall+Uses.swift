package import CommandSupport
import FoundationEssentials
package import Identity

// The one place where it is noted which program was given what: every way to a token for a program leads through it.
extension ProgramCall {
    /// The same as ``silentToken(_:)``, and what came of it is noted.
    package func token(_ calls: SilentCalls) async throws(Failure) -> IssuedToken {
        try await noting { () throws(Failure) in try await silentToken(calls) }
    }

    /// Notes what comes of one request of the program, however many ways are tried for it.
    package func noting(_ body: () async throws(Failure) -> IssuedToken) async throws(Failure) -> IssuedToken {
        try await call.noting(for: request, body)
    }
}

extension TokenCall {
    /// The same for a program that has no rules.
    package func noting(
        for request: ProgramRequest, _ body: () async throws(Failure) -> IssuedToken
    ) async throws(Failure) -> IssuedToken {
        let result: Result<IssuedToken, Failure>
        do throws(Failure) { result = .success(try await body()) } catch { result = .failure(error) }
        ProgramUses(context.environment).note(ProgramUse(of: request, by: self, result, at: Date()))
        return try result.get()
    }
}
