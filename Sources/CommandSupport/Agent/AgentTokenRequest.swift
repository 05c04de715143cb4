package import FoundationEssentials
package import Glibc
import Identity
import StrictJSON

/// A request for a token: the options of `foyer token` that say which one, and of the asker's environment and working
/// folder what settings, store and network depend on. The agent works it out as `foyer token --silent` would there.
package struct AgentTokenRequest: Hashable, Sendable {
    package var client: String?
    package var clientID: String?
    package var authority: String?
    package var scopes: [String] = []
    package var account: String?
    package var store: String?
    package var config: String?
    package var tenant: String?
    package var claims: String?
    package var forceRefresh = false
    /// Milliseconds for one request to the provider.
    package var timeout: Int64?
    /// The process that the asker, which is foyer's broker, speaks for.
    package var forProcess: pid_t?
    /// Goes into the request to the provider.
    package var correlationID: UUID?
    /// The variables of ``variables`` that are set.
    package var environment: [String: String]
    /// Absolute; relative paths are meant from here.
    package var folder: String
    /// The folder of the store as the asker sees it; the agent, for which the same path may lead elsewhere, refuses
    /// then.
    package var storeFolder: FileIdentity

    /// What `foyer token` reads of the environment.
    package static let variables = [
        "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "FOYER_CONFIG", "FOYER_STORE",
        "FOYER_CLIENT", "FOYER_AUTHORITY", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY",
        "no_proxy", "SSL_CERT_FILE", "AZURE_CONFIG_DIR", "AZD_CONFIG_DIR", "XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS",
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "LANG",
    ]
    static let mostScopes = 256
    /// Bytes of one text; a claims request is the longest.
    private static let longestText = 16_384

    /// The options as the agent carries them out: nobody is asked.
    package var options: TokenOptions {
        TokenOptions(
            common: CommonOptions(
                client: client, clientID: clientID, authority: authority, scopes: scopes, account: account,
                store: store, config: config, neverAsks: true, timeout: timeout.map { Double($0) / 1000 }),
            asking: SignInOptions(tenant: tenant), silent: true, forceRefresh: forceRefresh, claims: claims)
    }

    package var askersEnvironment: ProcessEnvironment {
        let values = environment
        return ProcessEnvironment(workingFolder: folder) { values[$0] }
    }
}

extension AgentTokenRequest {
    package init(_ choices: TokenOptions, _ environment: ProcessEnvironment, storeFolder: FileIdentity) {
        let common = choices.common
        self.init(
            client: common.client, clientID: common.clientID, authority: common.authority, scopes: common.scopes,
            account: common.account, store: common.store, config: common.config, tenant: choices.asking.tenant,
            claims: choices.claims, forceRefresh: choices.forceRefresh,
            timeout: common.timeout.map { Int64(($0 * 1000).rounded()) },
            environment: Dictionary(
                uniqueKeysWithValues: Self.variables.compactMap { name in environment[name].map { (name, $0) } }),
            folder: environment.workingFolder ?? "/", storeFolder: storeFolder)
    }

    /// - Throws: `usage` for a member that is not known, too: an option that is not understood would give another
    ///   token than the one that was asked for.
    init(_ object: JSONObject) throws(Failure) {
        self.init(environment: [:], folder: "", storeFolder: FileIdentity(device: 0, inode: 0))
        for member in object.members {
            switch member.name {
            case "op": break
            case "client": client = try Self.text(member)
            case "clientId": clientID = try Self.text(member)
            case "authority": authority = try Self.text(member)
            case "scopes":
                guard let texts = member.value.array, texts.count <= Self.mostScopes else { throw Self.wrong(member) }
                for text in texts { scopes.append(try Self.text(JSONMember(name: member.name, value: text))) }
            case "account": account = try Self.text(member)
            case "store": store = try Self.text(member)
            case "config": config = try Self.text(member)
            case "tenant": tenant = try Self.text(member)
            case "claims": claims = try Self.text(member)
            case "forceRefresh":
                guard let flag = member.value.bool else { throw Self.wrong(member) }
                forceRefresh = flag
            case "timeout":
                guard let time = member.value.integer, (100...600_000).contains(time) else { throw Self.wrong(member) }
                timeout = time
            case "forProcess":
                guard let pid = member.value.integer.flatMap({ pid_t(exactly: $0) }), pid > 0 else {
                    throw Self.wrong(member)
                }
                forProcess = pid
            case "correlationId":
                guard let id = member.value.string.flatMap({ UUID(uuidString: $0) }) else { throw Self.wrong(member) }
                correlationID = id
            case "environment":
                for variable in member.value.object?.members ?? [] {
                    guard Self.variables.contains(variable.name) else { throw Self.wrong(variable) }
                    environment[variable.name] = try Self.text(variable)
                }
            case "folder": folder = try Self.text(member)
            case "storeFolder":
                guard let text = member.value.string, let identity = FileIdentity(text) else {
                    throw Self.wrong(member)
                }
                storeFolder = identity
            default: throw Self.wrong(member)
            }
        }
        guard folder.hasPrefix("/"), environment["HOME"]?.hasPrefix("/") ?? true else {
            throw Failure(.usage, "the request names no working folder")
        }
    }

    static func text(_ member: JSONMember) throws(Failure) -> String {
        guard let text = member.value.string, text.utf8.count <= longestText, !text.utf8.contains(0) else {
            throw wrong(member)
        }
        return text
    }

    static func wrong(_ member: JSONMember) -> Failure {
        // The name is bounded by the line, and no secret of ours.
        Failure(.usage, "the request has a member that is not understood: \(member.name.prefix(40))")
    }

    var json: JSONValue { json(op: "token") }

    func json(op: String) -> JSONValue {
        var members: [(String, JSONValue)] = [("op", op.json)]
        func add(_ name: String, _ text: String?) { if let text { members.append((name, text.json)) } }
        add("client", client)
        add("clientId", clientID)
        add("authority", authority)
        if !scopes.isEmpty { members.append(("scopes", .array(scopes.map(\.json)))) }
        add("account", account)
        add("store", store)
        add("config", config)
        add("tenant", tenant)
        add("claims", claims)
        if forceRefresh { members.append(("forceRefresh", true)) }
        if let timeout { members.append(("timeout", JSONValue(integer: timeout))) }
        if let forProcess { members.append(("forProcess", JSONValue(integer: forProcess))) }
        add("correlationId", correlationID?.uuidString)
        members.append(
            (
                "environment",
                .object(
                    JSONObject(
                        environment.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value.json) }))
            ))
        add("folder", folder)
        add("storeFolder", storeFolder.text)
        return .object(JSONObject(members.map { JSONMember(name: $0.0, value: $0.1) }))
    }
}
