import Bus
package import CommandSupport
import Console
import FoundationEssentials
import Glibc
import Identity
package import SilentFirst
import StrictJSON
import Synchronization
import TokenCache

/// Calls another program's broker. After a failed call it is skipped until its bus name has another owner.
package final class BrokerClient: Sendable {
    package static let shared = BrokerClient()

    private struct State {
        /// Owners of the bus name that responded, or did not.
        var working: String?
        var broken: String?
    }

    /// For the first call, which may start the broker; it must not slow down every command.
    private static let firstPatience: Duration = .seconds(3)
    private static let patience: Duration = .seconds(25)
    private static let longestAnswer = 1_048_576

    private let state = Mutex(State())

    package func broker(_ environment: ProcessEnvironment) -> TokenBroker {
        TokenBroker { [self] request throws(TokenBroker.Trouble) in
            try await BlockingExecutor.run { () throws(TokenBroker.Trouble) in try self.acquire(request, environment) }
        }
    }

    private func acquire(_ request: TokenBroker.Request, _ environment: ProcessEnvironment)
        throws(TokenBroker.Trouble) -> TokenBroker.Answer
    {
        let bus: MessageBus
        do { bus = try MessageBus(environment) } catch { throw TokenBroker.Trouble(error.message) }
        let owner = bus.owner(of: BrokerInterface.name)
        guard owner != nil || bus.isActivatable(BrokerInterface.name) else {
            throw TokenBroker.Trouble("no broker on the session bus")
        }
        // foyer's own broker calls the agent, which would call the broker.
        let presence = BrokerPresence(bus, BrokerServiceFile(environment))
        guard !presence.isOwnRunning, owner != nil || !presence.isEnabled else {
            throw TokenBroker.Trouble("the broker of this session is foyer itself")
        }
        let mark = owner ?? "not started"
        guard state.withLock({ $0.broken }) != mark else {
            throw TokenBroker.Trouble("it did not respond last time")
        }
        let account = try self.account(request, bus, mark)
        let answer = try call(.acquireTokenSilently, Self.silent(request, account), request, bus, mark)
        return try Self.token(answer)
    }

    /// The broker's own record of the account.
    private func account(_ request: TokenBroker.Request, _ bus: MessageBus, _ mark: String)
        throws(TokenBroker.Trouble) -> JSONValue
    {
        let wish: JSONValue = [
            "clientId": .string(request.clientID), "redirectUri": .string(BrokerInterface.redirectURI),
        ]
        let answer = try call(.getAccounts, wish, request, bus, mark)
        let accounts = (answer["accounts"]?.array ?? []).filter { $0.object != nil }
        guard let wanted = request.account else {
            guard accounts.count == 1 else {
                throw TokenBroker.Trouble(
                    accounts.isEmpty ? "it has no account" : "it has \(accounts.count) accounts, choose one")
            }
            return accounts[0]
        }
        guard let found = accounts.first(where: { $0["homeAccountId"]?.string.map(wanted.isIdentified(by:)) ?? false })
        else {
            throw TokenBroker.Trouble("account not found")
        }
        return found
    }

    private func call(
        _ method: BrokerInterface.Method, _ wish: JSONValue, _ request: TokenBroker.Request, _ bus: MessageBus,
        _ mark: String
    ) throws(TokenBroker.Trouble) -> JSONValue {
        guard
            let message = BusMessage(
                name: BrokerInterface.name, path: BrokerInterface.path, interface: BrokerInterface.interface,
                member: method.rawValue)
        else { throw TokenBroker.Trouble("no memory") }
        message.add(BrokerInterface.protocolVersion)
        message.add(request.correlationID.uuidString.lowercased())
        message.add(wish.serialized())
        let isKnown = state.withLock { $0.working == mark }
        let text: String
        do {
            let answer = try bus.ask(message, within: isKnown ? Self.patience : Self.firstPatience)
            text = answer.text(0) ?? ""
        } catch {
            let now = bus.owner(of: BrokerInterface.name) ?? mark
            state.withLock { ($0.working, $0.broken) = (nil, now) }
            throw TokenBroker.Trouble("it does not respond: " + SafeText.line(error.message, limit: 200))
        }
        let now = bus.owner(of: BrokerInterface.name)
        state.withLock { ($0.working, $0.broken) = (now, nil) }
        guard text.utf8.count <= Self.longestAnswer,
            let value = try? JSONValue(parsing: Array(text.utf8), limits: JSONLimits(maximumBytes: Self.longestAnswer)),
            value.object != nil
        else {
            throw TokenBroker.Trouble("unexpected response")
        }
        if let error = value["brokerTokenResponse"]?["error"] ?? value["error"] {
            let status = error["status"]?.integer.map { "status \($0)" } ?? "an error"
            let context = error["context"]?.string.map { ": " + SafeText.line($0, limit: 200) } ?? ""
            throw TokenBroker.Trouble("it refused (\(status))\(context)")
        }
        return value
    }

    private static func silent(_ request: TokenBroker.Request, _ account: JSONValue) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("account", account), ("authority", request.authority.address.text.json), ("authorizationType", 1),
            ("clientId", request.clientID.json), ("redirectUri", BrokerInterface.redirectURI.json),
            ("requestedScopes", request.scopes.json), ("username", (account["username"]?.string).json),
        ]
        if let claims = request.claims { members.append(("decodedClaims", claims.json)) }
        return ["authParameters": .object(JSONObject(members.map { JSONMember(name: $0.0, value: $0.1) }))]
    }

    private static func token(_ answer: JSONValue) throws(TokenBroker.Trouble) -> TokenBroker.Answer {
        guard let response = answer["brokerTokenResponse"], let token = response["accessToken"]?.string,
            !token.isEmpty, let idToken = response["idToken"]?.string, !idToken.isEmpty,
            response["accessTokenType"]?.integer ?? 0 == 0,
            let expires = response["expiresOn"]?.integer ?? response["expiresOn"]?.string.flatMap({ Int64($0) })
        else { throw TokenBroker.Trouble("no usable token in the response") }
        // A string; some brokers send a list.
        let scopes = response["grantedScopes"].flatMap { value in
            value.string.map { ScopeSet(parsing: $0) } ?? value.array.map { ScopeSet($0.compactMap(\.string)) }
        }
        return TokenBroker.Answer(
            accessToken: Secret(token), idToken: Secret(idToken), clientInfo: response["clientInfo"]?.string,
            scopes: scopes?.isEmpty == true ? nil : scopes,
            expiresOn: Date(timeIntervalSince1970: Double(expires) / 1000))
    }
}
