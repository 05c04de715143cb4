package import FoundationEssentials
package import Glibc
import Identity
import StrictJSON

/// A request for a token to the agent of this machine: which one, and of the asker's environment and working folder
/// what settings, store and network depend on. The agent resolves it as `foyer token --silent` would there.
package struct AgentTokenRequest: Hashable, Sendable {
    /// As the agent carries them out: nobody is asked.
    package var options: TokenOptions
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

    /// What `foyer token` reads of the environment, besides what the table of a request names.
    package static let variables =
        [
            "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HTTPS_PROXY",
            "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "AZURE_CONFIG_DIR",
            "AZD_CONFIG_DIR", "XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
            "LANG",
        ] + Set(RequestField.all.filter { $0.reach >= .process }.compactMap(\.variable)).sorted()

    package var askersEnvironment: ProcessEnvironment {
        let values = environment
        return ProcessEnvironment(workingFolder: folder) { values[$0] }
    }

    package init(_ options: TokenOptions, _ environment: ProcessEnvironment, storeFolder: FileIdentity) {
        self.options = options.forOthers
        self.environment = Dictionary(
            uniqueKeysWithValues: Self.variables.compactMap { name in environment[name].map { (name, $0) } })
        folder = environment.workingFolder ?? "/"
        self.storeFolder = storeFolder
    }

    /// - Throws: `usage` for a member that is not known, too: an option that is not understood would give another
    ///   token than the one that was asked for.
    init(_ object: JSONObject) throws(Failure) {
        options = TokenOptions().forOthers
        (environment, folder, storeFolder) = ([:], "", FileIdentity(device: 0, inode: 0))
        for member in object.members {
            switch member.name {
            case "op": break
            case "forProcess":
                guard let pid = member.value.integer.flatMap({ pid_t(exactly: $0) }), pid > 0 else {
                    throw RequestField.wrong(member)
                }
                forProcess = pid
            case "correlationId":
                guard let id = member.value.string.flatMap({ UUID(uuidString: $0) }) else {
                    throw RequestField.wrong(member)
                }
                correlationID = id
            case "environment":
                for variable in member.value.object?.members ?? [] {
                    guard Self.variables.contains(variable.name) else { throw RequestField.wrong(variable) }
                    environment[variable.name] = try RequestField.text(variable)
                }
            case "folder": folder = try RequestField.text(member)
            case "storeFolder":
                guard let identity = member.value.string.flatMap({ FileIdentity($0) }) else {
                    throw RequestField.wrong(member)
                }
                storeFolder = identity
            default:
                guard try RequestField.read(member, .process, into: &options) else { throw RequestField.wrong(member) }
            }
        }
        // A proof is made with keys that stay where the asker is.
        guard folder.hasPrefix("/"), environment["HOME"]?.hasPrefix("/") ?? true, options.pop == nil else {
            throw Failure(.usage, "the request names no working folder, or one that no agent can answer")
        }
    }

    func json(op: String = "token") -> JSONValue {
        let variables = environment.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value.json) }
        return .object(
            JSONObject(
                [JSONMember(name: "op", value: op.json)] + RequestField.members(of: options, .process)
                    + [
                        ("forProcess", forProcess.map { JSONValue(integer: $0) }),
                        ("correlationId", correlationID?.uuidString.json),
                        ("environment", .object(JSONObject(variables))), ("folder", folder.json),
                        ("storeFolder", storeFolder.text.json),
                    ].compactMap { name, value in value.map { JSONMember(name: name, value: $0) } }))
    }
}

extension TokenOptions {
    /// The same for a process that asks nobody: what may cross, and no manner of asking or answering.
    package var forOthers: TokenOptions {
        var options = TokenOptions()
        for field in RequestField.all where field.reach >= .process { field.copy(from: self, to: &options) }
        options.silent = true
        options.neverAsks = true
        return options
    }
}

extension RequestField {
    /// Copies the member.
    package func copy(from source: TokenOptions, to target: inout TokenOptions) {
        switch member {
        case .text(let path): target[path] = source[path]
        case .texts(let path): target[path] = source[path]
        case .flag(let path): target[path] = source[path]
        case .seconds(let path): target[path] = source[path]
        case .number(let path): target[path] = source[path]
        case .method(let path): target[path] = source[path]
        case .prompt(let path): target[path] = source[path]
        case .responseMode(let path): target[path] = source[path]
        }
    }
}
