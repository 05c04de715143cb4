package import FoundationEssentials
package import Identity

/// What Enter does with an account: the silent call that it starts, and what that call would do now.
package struct PlannedCall: Equatable, Sendable {
    package let clientID: String
    package let request: TokenRequest
    /// Goes on from "Enter", such as `redeems the refresh token`.
    package let action: String
    /// A clause, such as `the access token expired 10 min ago`; may be empty.
    package let reason: String

    package init(clientID: String, request: TokenRequest, action: String, reason: String) {
        self.clientID = clientID
        self.request = request
        self.action = action
        self.reason = reason
    }

    /// The action and why.
    package var words: String { reason.isEmpty ? action : action + ": " + reason }
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
