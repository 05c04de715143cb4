import ArgumentParser
import Identity
import SilentFirst
import StrictJSON

struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Registers a client with an OpenID Connect provider that takes registrations, and writes it into the settings.")
    @Argument(help: "The client's name in the settings: letters, digits, - and _.")
    var name: String
    @Option(
        name: .customLong("redirect-uri"), help: ArgumentHelp("The loopback redirect URI (default http://127.0.0.1/).", valueName: "uri"))
    var redirectURI = "http://127.0.0.1/"
    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let session = try Session(shared.choices())
        guard !name.isEmpty, name.utf8.count <= 64,
            name.utf8.allSatisfy({
                ($0 < 0x80 && Character(UnicodeScalar($0)).isLetter) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
            })
        else { throw Failure(.usage, "\"\(name)\" is no name for a client", hint: "use letters, digits, - and _") }
        guard session.settings.client(named: name) == nil else {
            throw Failure(.usage, "\(session.settings.path) has a client \"\(name)\" already", hint: "choose another name")
        }
        guard let text = shared.authority ?? session.environment["FOYER_AUTHORITY"] else {
            throw Failure(.usage, "--authority names the provider", hint: "write --authority https://id.example.org/realms/lab")
        }
        let authority: Authority
        do { authority = try Authority(text, kind: .oidc) } catch { throw Failure(.usage, "\(text): \(error)") }
        let scopes = ScopeSet(shared.scopes.isEmpty ? ["openid", "profile", "email"] : shared.scopes)
        let clientID = try await PublicClientApplication.register(
            name: "foyer (\(name))", at: authority, redirectURI: redirectURI, scopes: scopes, network: session.network())
        try SettingsFile(session.settings.path).add([
            "[clients.\(name)]", "client_id = \(Self.quoted(clientID))", "authority = \(Self.quoted(text))", "kind = \"oidc\"",
            "redirect_uri = \(Self.quoted(redirectURI))",
            "scopes = [" + scopes.withReserved.names.map(Self.quoted).joined(separator: ", ") + "]",
        ])
        if shared.json {
            session.output.result(
                JSONValue(
                    ("clientId", clientID.json), ("name", name.json), ("authority", text.json), ("settings", session.settings.path.json)))
        } else {
            session.output.lines([
                "registered as \(clientID); \(session.short(session.settings.path)) has it as \"\(name)\"",
                "next: foyer sign-in --client \(name)",
            ])
        }
    }

    /// A basic string of TOML.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
