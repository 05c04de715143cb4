package import FoundationEssentials
package import Identity

/// What Enter does with an account: the silent call that it starts, and what that call would do now.
package struct PlannedCall: Equatable, Sendable {
    package let clientID: String
    package let request: TokenRequest
    /// What it would do and why, such as `refreshes; cached token expired 10 min ago`.
    package let words: String

    package init(clientID: String, request: TokenRequest, words: String) {
        self.clientID = clientID
        self.request = request
        self.words = words
    }
}

/// Plans the calls for the accounts of one reading of the store: asks no server and writes nothing. What is decided is
/// not the model's business, so whoever reads the store brings it along.
package final class CallPlanner: Sendable {
    private let call: @Sendable (Account, _ clientID: String, _ now: Date) -> PlannedCall

    package init(_ call: @escaping @Sendable (Account, _ clientID: String, _ now: Date) -> PlannedCall) {
        self.call = call
    }

    /// - Parameter clientID: the client in whose name the token is asked for.
    func call(for account: Account, clientID: String, at now: Date) -> PlannedCall { call(account, clientID, now) }
}

extension CallPlanner: Equatable {
    /// Whether both are of one reading of the store.
    package static func == (one: CallPlanner, other: CallPlanner) -> Bool { one === other }
}
