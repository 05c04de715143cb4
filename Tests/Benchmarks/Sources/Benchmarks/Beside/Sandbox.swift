import Glibc
import StrictJSON

/// foyer-sandbox, the identity provider on loopback, with one account signed in by foyer in a store of its own.
struct Sandbox {
    /// Of the OpenID Connect provider.
    static let clientID = "lab-cli"

    let store: String
    let issuer: String
    private let port: Int
    private let curl: String
    private let scratch: Scratch
    private let process: pid_t
    /// It ends when this is closed, also by the end of this process.
    private let input: Pipe

    /// Nil when it does not start, when curl, which plays the browser, is not there, or when the sign-in fails.
    init?(_ scratch: Scratch, store name: String) {
        guard let curl = Programs.onPath("curl"), let input = Pipe(), let output = Pipe() else { return nil }
        let words = [Programs.sandbox, "--json", "--port", "0", "--exit-with-stdin"]
        let process = Child.start(
            Command(words, scratch.environment), input: input.reading, output: output.writing)
        output.closeWriting()
        input.closeReading()
        defer { output.closeReading() }
        guard let process else { return nil }
        self.process = process
        self.input = input
        self.curl = curl
        self.scratch = scratch
        store = scratch.path + "/" + name
        let summary = output.readLine().flatMap { try? JSONValue(parsing: Array($0.utf8)) }
        issuer = summary?["issuer"]?.string ?? ""
        port = summary?["port"]?.integer.map { Int($0) } ?? 0
        let signIn =
            ["sign-in", "--via", "browser", "--browser", curl + " -sL %s", "--login-hint", "hedy@lab.example"] + options
        guard Child.succeeds(Command([Programs.foyer] + signIn, scratch.environment)) else {
            end()
            return nil
        }
    }

    /// foyer's options for the account.
    private var options: [String] {
        [
            "--client-id", Self.clientID, "--authority", issuer, "--scope", "openid", "--scope", "offline_access",
            "--store", store,
        ]
    }

    var silentToken: Command { Command([Programs.foyer, "token", "--silent"] + options, scratch.environment) }

    /// The account's refresh token.
    var refreshToken: String? {
        stored?["RefreshToken"]?.object?.members.first?.value["secret"]?.string
    }

    /// Makes the cached access token one that expired an hour ago.
    func expireToken() {
        guard case .object(var sections)? = stored else { return }
        let expiry = String(time(nil) - 3600)
        for section in sections.members.indices where sections.members[section].name == "AccessToken" {
            sections.members[section].value = Self.changed(sections.members[section].value) { token in
                Self.changed(token, where: { ["expires_on", "extended_expires_on"].contains($0) }) { _ in
                    .string(expiry)
                }
            }
        }
        Files.write(store, JSONValue.object(sections).serialized())
    }

    /// How often the token endpoint was asked for a refresh.
    var refreshes: Int? {
        let address = "http://127.0.0.1:\(port)/_sandbox/state"
        guard let reply = Child.run(Command([curl, "-s", address], scratch.environment), keepsOutput: true),
            reply.status == 0, let state = try? JSONValue(parsing: Array(reply.output.utf8)),
            let requests = state["requests"]
        else { return nil }
        return Int(requests["token:refresh_token"]?.integer ?? 0)
    }

    func end() {
        input.closeWriting()
        _ = Child.wait(process)
    }

    private var stored: JSONValue? { Files.read(store).flatMap { try? JSONValue(parsing: $0) } }

    private static func changed(
        _ value: JSONValue, where matches: (String) -> Bool = { _ in true }, _ change: (JSONValue) -> JSONValue
    ) -> JSONValue {
        guard case .object(var object) = value else { return value }
        for index in object.members.indices where matches(object.members[index].name) {
            object.members[index].value = change(object.members[index].value)
        }
        return .object(object)
    }
}
