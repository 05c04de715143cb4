package import CommandSupport
import Identity
import StrictJSON

/// `keyring get SERVICE [USERNAME]`, as pip and uv ask for the password of a package index.
package struct KeyringRequest: Hashable, Sendable {
    package enum Form: Hashable, Sendable { case password, plain, json }

    /// Of the index.
    package let host: String
    /// Without the slash at the beginning.
    package let path: String?
    package let username: String?
    package let form: Form

    /// What Azure Artifacts takes beside a token; any other name would do.
    private static let artifactsUser = "VssSessionToken"
    /// What most servers take beside a token.
    private static let usualUser = "oauth2"

    /// - Parameter words: the arguments of keyring.
    /// - Returns: nil for another command, an option that is not known, and a service that is no address of the web:
    ///   keyring's own.
    package init?(_ words: [String]) {
        var options: [String: String] = ["--mode": "password", "--output": "plain"]
        var places: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else {
                places.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard options[parts[0]] != nil, let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                return nil
            }
            options[parts[0]] = value
        }
        switch (options["--mode"], options["--output"]) {
        case ("password", "plain"): form = .password
        case ("creds", "plain"): form = .plain
        case ("creds", "json"): form = .json
        default: return nil
        }
        guard places.first == "get", (2...3).contains(places.count), places[1].contains("://"),
            let asked = try? GitCredential(url: places[1]), let address = asked.address()
        else { return nil }
        host = address.hostAndPort
        path = asked.path
        username = places.count == 3 ? places[2] : asked.username
    }

    /// Nil for an index that is none of Azure Artifacts.
    package var devOps: AzureDevOps? {
        AzureDevOps(
            packagesAt: host, path: ProgramRequest(program: ProgramName.keyring.rawValue, path: path ?? "").path)
    }

    package func query(_ options: TokenOptions, _ environment: ProcessEnvironment) -> TokenQuery {
        TokenQuery(
            options,
            ProgramRequest(.keyring, host: host, path: path, organization: devOps?.organization, environment),
            devOps == nil ? .host : .azureDevOps)
    }

    package func answer(_ token: IssuedToken) -> String {
        let password = token.secret.reveal()
        let user = username.flatMap { $0.isEmpty ? nil : $0 } ?? (devOps == nil ? Self.usualUser : Self.artifactsUser)
        switch form {
        case .password: return password + "\n"
        case .plain: return user + "\n" + password + "\n"
        case .json:
            return JSONValue(("username", user.json), ("password", password.json)).serialized() + "\n"
        }
    }
}
