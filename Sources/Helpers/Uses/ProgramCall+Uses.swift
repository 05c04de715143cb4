package import CommandSupport
import FoundationEssentials
package import Identity

// The only place that records token requests of programs: every path to a token goes through here.
extension ProgramCall {
    package func noting(_ body: () async throws(Failure) -> IssuedToken) async throws(Failure) -> IssuedToken {
        try await call.noting(for: request, body)
    }
}

extension TokenCall {
    package func noting(
        for request: ProgramRequest, _ body: () async throws(Failure) -> IssuedToken
    ) async throws(Failure) -> IssuedToken {
        let began = ContinuousClock.now
        let result: Result<IssuedToken, Failure>
        do throws(Failure) { result = .success(try await body()) } catch { result = .failure(error) }
        note(result, for: request, began: began)
        return try result.get()
    }

    package func note(
        _ result: Result<IssuedToken, Failure>, for request: ProgramRequest, began: ContinuousClock.Instant
    ) {
        let took = ContinuousClock.now - began
        ProgramUses(context.environment).note(ProgramUse(of: request, by: self, result, took: took, at: Date()))
    }
}
