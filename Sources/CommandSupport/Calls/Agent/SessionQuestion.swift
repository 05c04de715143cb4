import Identity
import StrictJSON

/// Whether an AI agent's session gets a person's token, for the agent to show where a person is.
package struct SessionQuestion: Hashable, Sendable {
    /// The program and the session.
    package var asker: String
    package var client: String
    package var account: String
    package var scopes: String
    /// `DISPLAY` of the process that asks; empty without one.
    package var display: String

    package init(asker: String, client: String, account: String, scopes: String, display: String) {
        (self.asker, self.client, self.account) = (asker, client, account)
        (self.scopes, self.display) = (scopes, display)
    }

    private static let longestText = 4096

    init(_ object: JSONObject) throws(Failure) {
        func text(_ name: String) -> String? {
            object[name]?.string.flatMap { $0.utf8.count <= Self.longestText ? $0 : nil }
        }
        guard object.members.count == 6, let asker = text("asker"), let client = text("client"),
            let account = text("account"), let scopes = text("scopes"), let display = text("display")
        else { throw Failure(.usage, "\"permit\" requires asker, client, account, scopes and display") }
        self.init(asker: asker, client: client, account: account, scopes: scopes, display: display)
    }

    var json: JSONValue {
        [
            "op": "permit", "asker": .string(asker), "client": .string(client), "account": .string(account),
            "scopes": .string(scopes), "display": .string(display),
        ]
    }
}
