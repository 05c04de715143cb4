import Identity
package import StrictJSON

/// A request for a token that comes from another host or a container, as it is asked of an agent there: which token is
/// wanted, and nothing of the asker's machine. Settings, store and environment are those of the agent.
package struct ForwardedTokenRequest: Hashable, Sendable {
    /// A name of the agent's settings; the identifier is surer, as another host may call another client so.
    package var client: String?
    package var clientID: String?
    /// The one that is meant; the agent refuses when its own is another.
    package var authority: String?
    package var scopes: [String] = []
    package var account: String?
    package var tenant: String?
    package var claims: String?
    /// `METHOD:URL` of a request that a proof is wanted for.
    package var pop: String?
    package var popNonce: String?
    /// Milliseconds for one request to the provider.
    package var timeout: Int64?
    /// The program that asks, as the other side calls it.
    package var program: String?
    /// Whether a person at the agent's side may be asked to sign in.
    package var isInteractive = false

    package init() {}

    /// The options as the agent carries them out.
    ///
    /// - Parameters:
    ///   - client: the name of the client that was chosen for the request.
    ///   - account: the home account identifier that was chosen; nil to see who is there.
    package func options(client: String, account: String?) -> TokenOptions {
        TokenOptions(
            common: CommonOptions(
                client: client, scopes: scopes, account: account, neverAsks: true,
                timeout: timeout.map { Double($0) / 1000 }),
            silent: true, claims: claims, pop: pop, popNonce: popNonce)
    }
}

extension ForwardedTokenRequest {
    /// Members that mean something on the asker's machine alone. Whoever speaks to the wrong socket sends them.
    private static let passedOver = ["op", "environment", "folder", "storeFolder", "store", "config"]
    /// Bytes of a program's name.
    private static let longestProgram = 200

    /// - Throws: `usage` for anything but a request for a token, and for a member that is not known.
    init(_ object: JSONObject) throws(Failure) {
        guard object["op"]?.string == "token" else {
            throw Failure(.usage, "a forwarded connection may ask for a token and for nothing else")
        }
        for member in object.members where !Self.passedOver.contains(member.name) {
            switch member.name {
            case "client": client = try AgentTokenRequest.text(member)
            case "clientId": clientID = try AgentTokenRequest.text(member)
            case "authority": authority = try AgentTokenRequest.text(member)
            case "scopes":
                guard let texts = member.value.array, texts.count <= AgentTokenRequest.mostScopes else {
                    throw AgentTokenRequest.wrong(member)
                }
                for text in texts {
                    scopes.append(try AgentTokenRequest.text(JSONMember(name: member.name, value: text)))
                }
            case "account": account = try AgentTokenRequest.text(member)
            case "tenant": tenant = try AgentTokenRequest.text(member)
            case "claims": claims = try AgentTokenRequest.text(member)
            case "pop": pop = try AgentTokenRequest.text(member)
            case "popNonce": popNonce = try AgentTokenRequest.text(member)
            case "timeout":
                guard let time = member.value.integer, (100...600_000).contains(time) else {
                    throw AgentTokenRequest.wrong(member)
                }
                timeout = time
            case "program": program = String(try AgentTokenRequest.text(member).prefix(Self.longestProgram))
            case "interactive":
                guard let flag = member.value.bool else { throw AgentTokenRequest.wrong(member) }
                isInteractive = flag
            case "forceRefresh":
                guard member.value.bool == false else {
                    throw Failure(.usage, "a forwarded request cannot force a refresh")
                }
            default: throw AgentTokenRequest.wrong(member)
            }
        }
    }

    package var json: JSONValue {
        var members = [JSONMember(name: "op", value: "token")]
        func add(_ name: String, _ text: String?) {
            if let text { members.append(JSONMember(name: name, value: text.json)) }
        }
        add("client", client)
        add("clientId", clientID)
        add("authority", authority)
        if !scopes.isEmpty { members.append(JSONMember(name: "scopes", value: .array(scopes.map(\.json)))) }
        add("account", account)
        add("tenant", tenant)
        add("claims", claims)
        add("pop", pop)
        add("popNonce", popNonce)
        if let timeout { members.append(JSONMember(name: "timeout", value: JSONValue(integer: timeout))) }
        add("program", program)
        if isInteractive { members.append(JSONMember(name: "interactive", value: true)) }
        return .object(JSONObject(members))
    }
}
