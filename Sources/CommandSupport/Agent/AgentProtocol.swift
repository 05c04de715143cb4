package import Identity
package import StrictJSON

/// What both sides of the agent's socket keep to: one JSON object on a line, the server's first.
///
/// The server begins with ``hello``. A client sends one request at a time; the answer is what the command of the same
/// name prints with `--json`, or its error object. While an answer is worked out, events come before it, each an object
/// with `event`.
package enum AgentProtocol {
    /// Changes when an older side would misunderstand a newer one.
    package static let version: Int64 = 1
    /// Bytes of a request, the end of its line included.
    package static let longestRequest = 65_536
    /// Bytes of an answer: a token may be larger than any request.
    package static let longestAnswer = 1_048_576
    /// The event before an error that is the person's will, and not the agent's trouble: nobody goes on without it.
    package static let refusal = "refused"
    /// The event that says what a request waits for at the agent's side, with `message`.
    package static let waitsForPerson = "asking"
    /// How often a client that waits is told that its request is still worked on.
    package static let heartbeat: Duration = .seconds(1)
    /// Objects in a request are no deeper.
    private static let depth = 6

    /// - Parameter connections: as many as there can be, where that is so: a token is not to be had then.
    package static func hello(connections: Int? = nil) -> JSONValue {
        let (dialect, product) = (JSONValue(integer: version), Product.version.json)
        guard let connections else { return JSONValue(("foyer", dialect), ("version", product)) }
        return JSONValue(("foyer", dialect), ("version", product), ("busy", JSONValue(integer: connections)))
    }

    /// The product's version in the first line of a server that speaks this protocol; nil for any other line.
    package static func serverVersion(in line: [UInt8]) -> String? {
        guard let value = read(line, limit: 1024), value["foyer"]?.integer == version else { return nil }
        return value["version"]?.string
    }

    /// How many connections are open at a server that has no room for more; nil for one that has.
    package static func connectionsOfBusy(in line: [UInt8]) -> Int64? { read(line, limit: 1024)?["busy"]?.integer }

    package static func busy(connections: Int64) -> Failure {
        Failure(
            .unavailable, "the agent is busy: \(connections) connections are open",
            hint: "see who asks: foyer agent status")
    }

    /// Whether it is a request that a person makes of the agent itself, and that there is always room for.
    package static func isOfPerson(_ line: [UInt8]) -> Bool {
        switch try? request(line) {
        case .token, .accounts, .signIn, nil: false
        case .status, .stop, .lock, .unlock, .requests, .answer, .endForwarding: true
        }
    }

    /// The object on a line; nil when it is none.
    package static func read(_ line: [UInt8], limit: Int) -> JSONValue? {
        let limits = JSONLimits(maximumBytes: limit, maximumDepth: 32)
        guard let value = try? JSONValue(parsing: line, limits: limits), value.object != nil else { return nil }
        return value
    }

    /// - Throws: `usage` for what is no request.
    package static func request(_ line: [UInt8]) throws(Failure) -> AgentRequest { try AgentRequest(object(line)) }

    /// The same for what comes from another host or a container.
    ///
    /// - Throws: `usage` for anything but a request for a token.
    package static func forwardedRequest(_ line: [UInt8]) throws(Failure) -> ForwardedTokenRequest {
        try ForwardedTokenRequest(object(line))
    }

    private static func object(_ line: [UInt8]) throws(Failure) -> JSONObject {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: line, limits: JSONLimits(maximumBytes: longestRequest, maximumDepth: depth))
        } catch { throw Failure(.usage, "the request is no JSON object: \(error.problem.rawValue)") }
        guard let object = value.object else { throw Failure(.usage, "the request is no JSON object") }
        return object
    }

    package static func line(_ value: JSONValue) -> [UInt8] { Array(value.serialized().utf8) + [0x0A] }
}

/// What the agent can be asked.
package enum AgentRequest: Hashable, Sendable {
    case token(AgentTokenRequest)
    /// The Entra ID accounts that the client of the request can have tokens of without a person.
    case accounts(AgentTokenRequest)
    /// Shows a sign-in that foyer has begun for another program, until it has ended or the person refuses it.
    case signIn(AgentSignIn)
    case status
    /// To end, once what is on its way is stored.
    case stop
    /// To give no token any more.
    ///
    /// - Parameter store: one to lock besides those that the agent knows, as ``StoreSpec`` writes it.
    case lock(store: String?)
    /// To give tokens again.
    ///
    /// - Parameter passphrase: of an encrypted store that was locked.
    case unlock(passphrase: Secret?)
    /// What waits for a person.
    case requests
    /// A person's answer to one of them.
    case answer(id: String, AgentPermission)
    /// To close the connections of a host or a container that is forwarded, and to serve it no more.
    case endForwarding(id: String)

    init(_ object: JSONObject) throws(Failure) {
        guard let op = object["op"]?.string else { throw Failure(.usage, "the request has no op") }
        switch op {
        case "token": self = .token(try AgentTokenRequest(object))
        case "accounts": self = .accounts(try AgentTokenRequest(object))
        case "signIn": self = .signIn(try AgentSignIn(object))
        case "status": self = try Self.alone(.status, object)
        case "stop": self = try Self.alone(.stop, object)
        case "requests": self = try Self.alone(.requests, object)
        case "lock":
            let texts = try Self.texts(["store"], object)
            self = .lock(store: texts["store"])
        case "unlock":
            let texts = try Self.texts(["passphrase"], object)
            self = .unlock(passphrase: texts["passphrase"].map { Secret($0) })
        case "answer":
            let texts = try Self.texts(["id", "answer"], object)
            guard let id = texts["id"], let answer = texts["answer"].flatMap(AgentPermission.init(rawValue:)) else {
                throw Failure(.usage, "an answer needs an id and an answer")
            }
            self = .answer(id: id, answer)
        case "endForwarding":
            guard let id = try Self.texts(["id"], object)["id"] else { throw Failure(.usage, "an end needs an id") }
            self = .endForwarding(id: id)
        default: throw Failure(.usage, "this agent has no op of that name")
        }
    }

    private static func alone(_ request: AgentRequest, _ object: JSONObject) throws(Failure) -> AgentRequest {
        guard object.members.count == 1 else { throw Failure(.usage, "the request has a member that is not known") }
        return request
    }

    /// The members beside the op, which are texts.
    private static func texts(_ names: [String], _ object: JSONObject) throws(Failure) -> [String: String] {
        var texts: [String: String] = [:]
        for member in object.members where member.name != "op" {
            guard names.contains(member.name), let text = member.value.string, text.utf8.count <= 4096 else {
                throw Failure(.usage, "the request has a member that is not known")
            }
            texts[member.name] = text
        }
        return texts
    }

    package var json: JSONValue {
        switch self {
        case .lock(let store): store.map { ["op": "lock", "store": .string($0)] } ?? ["op": "lock"]
        case .unlock(let passphrase):
            passphrase.map { ["op": "unlock", "passphrase": .string($0.reveal())] } ?? ["op": "unlock"]
        case .requests: ["op": "requests"]
        case .answer(let id, let answer): ["op": "answer", "id": .string(id), "answer": .string(answer.rawValue)]
        case .endForwarding(let id): ["op": "endForwarding", "id": .string(id)]
        case .token(let request): request.json()
        case .accounts(let request): request.json(op: "accounts")
        case .signIn(let signIn): signIn.json
        case .status: ["op": "status"]
        case .stop: ["op": "stop"]
        }
    }
}
