package import Glibc
import Identity
import StrictJSON

/// A sign-in that foyer's broker makes for a program: shown among what waits for the person, who may refuse it.
package struct AgentSignIn: Hashable, Sendable {
    package var client: String
    /// Empty where nobody is named.
    package var account: String
    /// What the person has to do, such as the address and the code of a device sign-in.
    package var instruction: String
    /// The process that the broker speaks for.
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
        else { throw Failure(.usage, "a sign-in needs a client, an account, an instruction and a process") }
        self.init(client: client, account: account, instruction: instruction, forProcess: pid)
    }

    var json: JSONValue {
        [
            "op": "signIn", "client": .string(client), "account": .string(account),
            "instruction": .string(instruction), "forProcess": JSONValue(integer: forProcess),
        ]
    }
}
