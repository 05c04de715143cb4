import Explain
package import FoundationEssentials
package import Identity

/// The silent call that Enter starts for an account, and its expected outcome.
package struct PlannedCall: Equatable, Sendable {
    package let use: ClientUse
    package let request: TokenRequest
    /// The expected action and its reason, such as `refreshes; cached token expired 10 min ago`.
    package let words: String
    package let status: AccountStatus
    /// Why no token can be issued; nil if one can.
    package let cause: String?

    package init(use: ClientUse, request: TokenRequest, words: String, status: AccountStatus, cause: String? = nil) {
        self.use = use
        self.request = request
        self.words = words
        self.status = status
        self.cause = cause
    }
}

/// A credential that a silent call considers, or that is missing.
package struct CandidateLine: Hashable, Sendable {
    /// Such as `access token of Azure CLI`.
    package let name: String
    /// Such as `expired 12 min ago`.
    package let finding: String

    package init(name: String, finding: String) { (self.name, self.finding) = (name, finding) }
}

/// Plans calls for the accounts from one read of the store: contacts no server and writes nothing. Decisions are
/// outside the model, so the reader of the store provides the planner.
package final class CallPlanner: Sendable {
    let call: @Sendable (Account, ClientUse, _ now: Date) -> PlannedCall
    let considered: @Sendable (Account, ClientUse, _ now: Date) -> [CandidateLine]

    /// - Parameter considered: the credentials that the call considers, and why each of them cannot be used.
    package init(
        considered: @escaping @Sendable (Account, ClientUse, _ now: Date) -> [CandidateLine] = { _, _, _ in []
        },
        _ call: @escaping @Sendable (Account, ClientUse, _ now: Date) -> PlannedCall
    ) {
        (self.call, self.considered) = (call, considered)
    }
}

extension CallPlanner: Equatable {
    /// Whether both are from one read of the store.
    package static func == (one: CallPlanner, other: CallPlanner) -> Bool { one === other }
}

extension PlannedCall {
    /// The product that the token is for, such as `Graph`; empty if the scopes name none.
    func resource(at issuer: ScopeIssuer) -> String {
        ScopeNames.shortResource(of: request.scopes, at: issuer)
    }

    /// The requested scopes without resources; OpenID Connect's own only if there are no others.
    package var scopeNames: String {
        let names = request.scopes.names
        let others = names.filter { !ScopeNames.isOpenID($0) }
        return (others.isEmpty ? names : others).map(ScopeNames.short).joined(by: " ")
    }
}
