import Identity
package import StrictJSON

/// A token request from another host or a container. Settings, store and environment are the agent's.
package struct ForwardedTokenRequest: Hashable, Sendable {
    /// A client name refers to the agent's settings; a client ID is safer, as the name may mean another client there.
    /// The agent refuses an authority other than its own.
    package var options: TokenOptions
    /// The requesting program, as reported by the remote host.
    package var program: String?
    package var isInteractive = false

    /// Ignored members that only apply to the remote host; sent by a client on the wrong socket.
    private static let passedOver = ["op", "environment", "folder", "storeFolder", "store", "config"]
    private static let longestProgram = 200

    package init(_ options: TokenOptions = TokenOptions()) { self.options = options.forOthers }

    /// - Throws: `usage` for anything but a token request, and for an unknown member.
    init(_ object: JSONObject) throws(Failure) {
        self.init()
        guard object["op"]?.string == "token" else {
            throw Failure(.usage, "a forwarded connection can only request tokens")
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
