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

    package init(clientID: String, request: TokenRequest, words: String, status: AccountStatus) {
        self.clientID = clientID
        self.request = request
        self.words = words
        self.status = status
    }
}

/// Plans the calls for the accounts of one reading of the store: asks no server and writes nothing. What is decided is
/// not the model's business, so whoever reads the store brings it along.
package final class CallPlanner: Sendable {
    private let call: @Sendable (Account, _ clientID: String, _ now: Date) -> PlannedCall
    private let status: @Sendable (Account, _ clientID: String, _ now: Date) -> AccountStatus

    /// - Parameter status: the call's, for every row of a list: without its words, which change from second to second.
    package init(
        status: (@Sendable (Account, _ clientID: String, _ now: Date) -> AccountStatus)? = nil,
        _ call: @escaping @Sendable (Account, _ clientID: String, _ now: Date) -> PlannedCall
    ) {
        self.call = call
        self.status = status ?? { call($0, $1, $2).status }
    }

    /// - Parameter clientID: the client in whose name the token is asked for.
    func call(for account: Account, clientID: String, at now: Date) -> PlannedCall { call(account, clientID, now) }

    func status(of account: Account, clientID: String, at now: Date) -> AccountStatus { status(account, clientID, now) }
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
