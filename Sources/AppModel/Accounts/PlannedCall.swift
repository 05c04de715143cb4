package import FoundationEssentials
package import Identity

/// What Enter does with an account: the silent call that it starts, and what that call would do now.
package struct PlannedCall: Equatable, Sendable {
    package let clientID: String
    package let request: TokenRequest
    /// What it would do and why, such as `refreshes; cached token expired 10 min ago`.
    package let words: String
    /// How the account stands by that.
    package let status: AccountStatus
    /// Why there will be no token; nil where there may be one.
    package let cause: String?

    package init(clientID: String, request: TokenRequest, words: String, status: AccountStatus, cause: String? = nil) {
        self.clientID = clientID
        self.request = request
        self.words = words
        self.status = status
        self.cause = cause
    }
}

/// A credential that a silent call looks at, or that is not there.
package struct ConsideredLine: Hashable, Sendable {
    /// Such as `access token of Azure CLI`.
    package let name: String
    /// What becomes of it, such as `expired 12 min ago`.
    package let finding: String

    package init(name: String, finding: String) { (self.name, self.finding) = (name, finding) }
}

/// Plans the calls for the accounts of one reading of the store: asks no server and writes nothing. What is decided is
/// not the model's business, so whoever reads the store brings it along.
package final class CallPlanner: Sendable {
    private let call: @Sendable (Account, _ clientID: String, _ now: Date) -> PlannedCall
    private let considered: @Sendable (Account, _ clientID: String, _ now: Date) -> [ConsideredLine]

    /// - Parameter considered: which credentials the call looks at, and why each of them does not do.
    package init(
        considered: @escaping @Sendable (Account, _ clientID: String, _ now: Date) -> [ConsideredLine] = { _, _, _ in []
        },
        _ call: @escaping @Sendable (Account, _ clientID: String, _ now: Date) -> PlannedCall
    ) {
        (self.call, self.considered) = (call, considered)
    }

    /// - Parameter clientID: the client in whose name the token is asked for.
    func call(for account: Account, clientID: String, at now: Date) -> PlannedCall { call(account, clientID, now) }

    func considered(for account: Account, clientID: String, at now: Date) -> [ConsideredLine] {
        considered(account, clientID, now)
    }
}

extension CallPlanner: Equatable {
    /// Whether both are of one reading of the store.
    package static func == (one: CallPlanner, other: CallPlanner) -> Bool { one === other }
}

extension PlannedCall {
    /// What is asked for, without resources; OpenID Connect's own only where there is nothing else.
    package var scopeNames: String {
        let names = request.scopes.names
        let others = names.filter { !ScopeNames.isOpenID($0) }
        return (others.isEmpty ? names : others).map(ScopeNames.short).joined(by: " ")
    }
}
