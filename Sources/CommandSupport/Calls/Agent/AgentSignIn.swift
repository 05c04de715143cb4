package import Glibc
import Identity
import StrictJSON

/// A sign-in that foyer's broker runs for a program. It is listed with the pending requests, where the user can refuse.
package struct AgentSignIn: Hashable, Sendable {
    package var client: String
    /// Empty if the program names none.
    package var account: String
    /// For the user, such as the URL and the code of a device sign-in.
    package var instruction: String
    /// The broker's caller.
    package var forProcess: pid_t

    package init(client: String, account: String, instruction: String, forProcess: pid_t) {
        self.client = client
        self.account = account
        self.instruction = instruction
        self.forProcess = forProcess
    }

    private static let longestText = 4096

    init(_ object: JSONObject) throws(Failure) {
        func text(_ name: String) -> String? {
            object[name]?.string.flatMap { $0.utf8.count <= Self.longestText ? $0 : nil }
        }
        guard object.members.count == 5, let client = text("client"), let account = text("account"),
            let instruction = text("instruction"),
            let pid = object["forProcess"]?.integer.flatMap({ pid_t(exactly: $0) }), pid > 0
        else { throw Failure(.usage, "\"signIn\" requires client, account, instruction and forProcess") }
        self.init(client: client, account: account, instruction: instruction, forProcess: pid)
    }

    var json: JSONValue {
        [
            "op": "signIn", "client": .string(client), "account": .string(account),
            "instruction": .string(instruction), "forProcess": JSONValue(integer: forProcess),
        ]
    }
}
