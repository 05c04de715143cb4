package import Identity
package import StrictJSON

/// The protocol of the agent's socket: one JSON object per line.
///
/// The server begins with ``hello``. A client sends one request at a time. The response is the `--json` output of the
/// command of the same name, or its error object. Events, objects with `event`, may come before it.
package enum AgentProtocol {
    /// Raised for incompatible changes.
    package static let version: Int64 = 1
    /// Bytes of a request, including the line end.
    package static let longestRequest = 65_536
    /// Bytes of a response; a token may be larger than any request.
    package static let longestAnswer = 1_048_576
    /// The event before an error by the user's choice, after which the caller must not retry without the agent.
    package static let refusal = "refused"
    /// The event, with `message`, while a request waits for the user at the agent.
    package static let waitsForPerson = "asking"
    /// The interval of the events that keep a waiting client from giving up.
    package static let heartbeat: Duration = .seconds(1)
    private static let depth = 6

    /// - Parameter connections: their number if all are in use; the agent then gives no tokens.
    package static func hello(connections: Int? = nil) -> JSONValue {
        let (dialect, product) = (JSONValue(integer: version), Product.version.json)
        guard let connections else { return JSONValue(("foyer", dialect), ("version", product)) }
        return JSONValue(("foyer", dialect), ("version", product), ("busy", JSONValue(integer: connections)))
    }

    /// The product version in the first line of a compatible server.
    package static func serverVersion(in line: [UInt8]) -> String? {
        guard let value = read(line, limit: 1024), value["foyer"]?.integer == version else { return nil }
        return value["version"]?.string
    }

    /// The number of open connections if the server is busy.
    package static func connectionsOfBusy(in line: [UInt8]) -> Int64? { read(line, limit: 1024)?["busy"]?.integer }

    package static func busy(connections: Int64) -> Failure {
        Failure(
            .unavailable, "the agent is busy: \(connections) connections are open",
            hint: "run \"foyer agent status\" to list them")
    }

    /// Whether this is a user's command to the agent itself; a busy agent serves those too.
    package static func isOfPerson(_ line: [UInt8]) -> Bool {
        switch try? request(line) {
        case .token, .accounts, .signIn, .permit, nil: false
        case .status, .stop, .lock, .unlock, .requests, .answer, .endForwarding: true
        }
    }

    /// The object on a line; nil for anything else.
    package static func read(_ line: [UInt8], limit: Int) -> JSONValue? {
        let limits = JSONLimits(maximumBytes: limit, maximumDepth: 32)
        guard let value = try? JSONValue(parsing: line, limits: limits), value.object != nil else { return nil }
        return value
    }

    package static func request(_ line: [UInt8]) throws(Failure) -> AgentRequest { try AgentRequest(object(line)) }

    /// - Throws: `usage` for anything but a token request.
    package static func forwardedRequest(_ line: [UInt8]) throws(Failure) -> ForwardedTokenRequest {
        try ForwardedTokenRequest(object(line))
    }

    private static func object(_ line: [UInt8]) throws(Failure) -> JSONObject {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: line, limits: JSONLimits(maximumBytes: longestRequest, maximumDepth: depth))
        } catch { throw Failure(.usage, "the request is not a JSON object: \(error.problem.rawValue)") }
        guard let object = value.object else { throw Failure(.usage, "the request is not a JSON object") }
        return object
    }

    package static func line(_ value: JSONValue) -> [UInt8] { Array(value.serialized().utf8) + [0x0A] }
}

package enum AgentRequest: Hashable, Sendable {
    case token(AgentTokenRequest)
    /// The Entra ID accounts that can give the client tokens silently.
    case accounts(AgentTokenRequest)
    /// Shows a sign-in that foyer runs for another program, until it ends or the user refuses it.
    case signIn(AgentSignIn)
    /// Prompts the person about an AI agent's session. The answer is null without a place for it or an answer.
    case permit(SessionQuestion)
    case status
    /// Exits after pending refreshes are stored.
    case stop
    /// - Parameter store: a ``StoreSpec`` to lock in addition to the agent's stores.
    case lock(store: String?)
    /// - Parameter passphrase: of a locked encrypted store.
    case unlock(passphrase: Secret?)
    case requests
    case answer(id: String, AgentPermission)
    /// Disconnects a forwarded host or container and stops serving it.
    case endForwarding(id: String)

    init(_ object: JSONObject) throws(Failure) {
        guard let op = object["op"]?.string else { throw Failure(.usage, "the request has no op") }
        switch op {
        case "token": self = .token(try AgentTokenRequest(object))
        case "accounts": self = .accounts(try AgentTokenRequest(object))
        case "signIn": self = .signIn(try AgentSignIn(object))
        case "permit": self = .permit(try SessionQuestion(object))
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
                throw Failure(.usage, "\"answer\" requires id and answer")
            }
            self = .answer(id: id, answer)
        case "endForwarding":
            guard let id = try Self.texts(["id"], object)["id"] else {
                throw Failure(.usage, "\"endForwarding\" requires id")
            }
            self = .endForwarding(id: id)
        default: throw Failure(.usage, "unknown op")
        }
    }

    private static func alone(_ request: AgentRequest, _ object: JSONObject) throws(Failure) -> AgentRequest {
        guard object.members.count == 1 else { throw Failure(.usage, "unknown member in the request") }
        return request
    }

    private static func texts(_ names: [String], _ object: JSONObject) throws(Failure) -> [String: String] {
        var texts: [String: String] = [:]
        for member in object.members where member.name != "op" {
            guard names.contains(member.name), let text = member.value.string, text.utf8.count <= 4096 else {
                throw Failure(.usage, "unknown or invalid member in the request")
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
        case .permit(let question): question.json
        case .status: ["op": "status"]
        case .stop: ["op": "stop"]
        }
    }
}
