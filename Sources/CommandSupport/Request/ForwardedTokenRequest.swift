import Identity
package import StrictJSON

/// A request for a token that comes from another host or a container, as it is asked of an agent there: which token is
/// wanted, and nothing of the asker's machine. Settings, store and environment are those of the agent.
package struct ForwardedTokenRequest: Hashable, Sendable {
    /// A client's name is one of the agent's settings; the identifier is surer, as another host may call another client
    /// so. The authority is the one that is meant; the agent refuses when its own is another.
    package var options: TokenOptions
    /// The program that asks, as the other side calls it.
    package var program: String?
    /// Whether a person at the agent's side may be asked to sign in.
    package var isInteractive = false

    /// Members that mean something on the asker's machine alone. Whoever speaks to the wrong socket sends them.
    private static let passedOver = ["op", "environment", "folder", "storeFolder", "store", "config"]
    /// Bytes of a program's name.
    private static let longestProgram = 200

    package init(_ options: TokenOptions = TokenOptions()) { self.options = options.forOthers }

    /// - Throws: `usage` for anything but a request for a token, and for a member that is not known.
    init(_ object: JSONObject) throws(Failure) {
        self.init()
        guard object["op"]?.string == "token" else {
            throw Failure(.usage, "a forwarded connection may ask for a token and for nothing else")
        }
        for member in object.members where !Self.passedOver.contains(member.name) {
            switch member.name {
            case "program": program = String(try RequestField.text(member).prefix(Self.longestProgram))
            case "interactive":
                guard let flag = member.value.bool else { throw RequestField.wrong(member) }
                isInteractive = flag
            case "forceRefresh":
                guard member.value.bool == false else {
                    throw Failure(.usage, "a forwarded request cannot force a refresh")
                }
            default:
                guard try RequestField.read(member, .host, into: &options) else { throw RequestField.wrong(member) }
            }
        }
    }

    package var json: JSONValue {
        .object(
            JSONObject(
                [JSONMember(name: "op", value: "token")] + RequestField.members(of: options, .host)
                    + (program.map { [JSONMember(name: "program", value: $0.json)] } ?? [])
                    + (isInteractive ? [JSONMember(name: "interactive", value: true)] : [])))
    }
}
