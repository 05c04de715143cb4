package import CommandSupport
import Identity
import StrictJSON

/// `keyring get SERVICE [USERNAME]`, as pip and uv ask for the password of a package index.
package struct KeyringRequest: Hashable, Sendable {
    package enum Form: Hashable, Sendable { case password, plain, json }

    package let host: String
    /// Without the leading slash.
    package let path: String?
    package let username: String?
    package let form: Form

    /// The username of Azure Artifacts; it accepts any.
    private static let artifactsUser = "VssSessionToken"
    /// The usual username for servers that take a token as the password.
    private static let usualUser = "oauth2"

    /// - Returns: nil for another command, an unknown option, or a service that is not a web URL; these are left to the
    ///   real keyring.
    package init?(_ words: [String]) {
        var options: [String: String] = ["--mode": "password", "--output": "plain"]
        var places: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else {
                places.append(word)
                continue
            }
            let option = OptionWord(word)
            guard options[option.name] != nil, let value = option.value ?? rest.popFirst() else { return nil }
            options[option.name] = value
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

    /// Nil unless the index is on Azure Artifacts.
    package var devOps: AzureDevOps? {
        AzureDevOps(
            packagesAt: host, path: ProgramRequest(program: ProgramName.keyring.rawValue, path: path ?? "").path)
    }

    private var person: NamedPerson { NamedPerson(username: username, organization: devOps?.organization) }

    package func query(_ options: TokenOptions, _ environment: ProcessEnvironment) -> TokenQuery {
        TokenQuery(
            options,
            ProgramRequest(
                .keyring, person: person, host: host, path: path, organization: devOps?.organization, environment),
            devOps == nil ? .host : .azureDevOps)
    }

    package func answer(_ token: IssuedToken) -> String {
        let password = token.secret.reveal()
        // pip sends its own username with a password alone, so both forms keep it.
        let user = username.flatMap { $0.isEmpty ? nil : $0 } ?? (devOps == nil ? Self.usualUser : Self.artifactsUser)
        switch form {
        case .password: return password + "\n"
        case .plain: return user + "\n" + password + "\n"
        case .json:
            return JSONValue(("username", user.json), ("password", password.json)).serialized() + "\n"
        }
    }
}
