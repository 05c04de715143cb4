package import FoundationEssentials
package import Glibc
import Identity
import StrictJSON

/// A token request to the agent on this machine, with the parts of the requesting process's environment that settings,
/// store and network depend on. The agent resolves it like `foyer token --silent` in that process.
package struct AgentTokenRequest: Hashable, Sendable {
    /// Without prompts, as the agent cannot show them.
    package var options: TokenOptions
    /// The caller of foyer's broker, if the broker sends the request.
    package var forProcess: pid_t?
    package var correlationID: UUID?
    package var environment: [String: String]
    /// The absolute base of relative paths.
    package var folder: String
    /// The store's folder. The agent refuses the request if it sees another folder at the same path.
    package var storeFolder: FileIdentity

    /// Variables that `foyer token` reads, including those of ``RequestField``.
    package static let variables =
        [
            "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HTTPS_PROXY",
            "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "AZURE_CONFIG_DIR",
            "AZD_CONFIG_DIR", "XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
            "LANG",
        ] + Set(RequestField.all.filter { $0.reach >= .process }.compactMap(\.variable)).sorted()

    package var requestersEnvironment: ProcessEnvironment {
        let values = environment
        // The requesting process has found its session.
        return ProcessEnvironment(workingFolder: folder) { values[$0] }.ofPerson
    }

    package init(_ options: TokenOptions, _ environment: ProcessEnvironment, storeFolder: FileIdentity) {
        self.options = options.forOthers
        self.environment = Dictionary(
            uniqueKeysWithValues: Self.variables.compactMap { name in environment[name].map { (name, $0) } })
        folder = environment.workingFolder ?? "/"
        self.storeFolder = storeFolder
    }

    /// - Throws: `usage`, also for an unknown member: ignoring an option could give another token than requested.
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
        // A proof uses keys that stay in the requesting process.
        guard folder.hasPrefix("/"), environment["HOME"]?.hasPrefix("/") ?? true, options.pop == nil else {
            throw Failure(.usage, "working directory or HOME not absolute, or --pop, which the agent does not support")
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
    /// The options that may go to another process, without prompts or output options.
    package var forOthers: TokenOptions {
        var options = TokenOptions()
        for field in RequestField.all where field.reach >= .process { field.copy(from: self, to: &options) }
        options.silent = true
        options.neverAsks = true
        return options
    }
}

extension RequestField {
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
