import ArgumentParser
import Dispatch
import Glibc
import Sandbox

@main
struct FoyerSandbox: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foyer-sandbox",
        abstract: "An identity provider on loopback, for testing.",
        discussion: """
            Runs in the foreground until interrupted and stores nothing. Every user's password is "sandbox".
            curl without cookies is treated as a browser that is already signed in (as the login_hint, else as the \
            first user), so "curl -sL URL" completes a sign-in by itself.

            OAuth servers without OpenID Connect, or with a vendor's protocol, are at the same port: a GitHub Enterprise \
            Server at the root (and as http://github.localhost through this port as an HTTP proxy), Google at /google, Slack at /slack, and \
            plain servers with RFC 8414 metadata at /as/NAME, where each name is a server of its own. With --json, \
            "servers" has their addresses, clients and secrets. Request counts and faults name one of them as in \
            "github:token" or "as/one:token:refresh_token". /_sandbox/git?server=NAME checks \
            the Authorization header of a request to a git server.
            """)

    @Option(help: "Port on 127.0.0.1; 0 picks a free one.")
    var port = 0
    @Flag(help: "Serve https with a temporary certificate authority.")
    var tls = false
    @Option(help: "File for the CA certificate (with --tls).")
    var caFile: String?
    @Flag(help: "Print a JSON description.")
    var json = false
    @Option(help: "Access token lifetime in seconds.")
    var accessTokenLifetime = 3600
    @Option(help: "Complete all pages automatically as this user.")
    var auto: String?
    @Option(help: "Seconds between polls of the device grant.")
    var deviceInterval = 5
    @Flag(help: "Stop when standard input closes, for use by a parent program.")
    var exitWithStdin = false

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        var options = SandboxProvider.Options()
        options.port = port
        options.tls = tls
        options.caFile = caFile
        options.accessTokenLifetime = accessTokenLifetime
        options.auto = auto
        options.deviceInterval = deviceInterval
        // Before the server starts, so an early signal also ends it cleanly.
        let ends = ShutdownSignal(withStandardInput: exitWithStdin)
        let provider: SandboxProvider
        do {
            provider = try await SandboxProvider.start(options)
        } catch let failure as SandboxProvider.StartError {
            let (text, status) = FoyerSandbox.words(for: failure)
            say("foyer-sandbox: \(text)\n", to: STDERR_FILENO)
            throw ExitCode(status)
        }
        say(json ? provider.summary.text + "\n" : welcome(provider), to: STDOUT_FILENO)
        await ends.wait()
        await provider.stop()
    }

    private static func words(for failure: SandboxProvider.StartError) -> (String, Int32) {
        switch failure {
        case .noSuchUser(let name): ("unknown user \(name)", 64)
        case .wrongOption(let text): (text, 64)
        case .refused(let text): (text, 1)
        case .notListening(let text): ("cannot listen: \(text)", 1)
        case .caFile(let path): ("cannot write \(path)", 1)
        }
    }

    private func welcome(_ provider: SandboxProvider) -> String {
        let curl = provider.caFile.map { "curl --cacert \($0)" } ?? "curl"
        var text = """
            foyer-sandbox is running; stop it with Ctrl-C.

              Entra ID shape   \(provider.authority())   (also organizations, consumers, contoso.example, fabrikam.example)
              External ID      \(provider.ciamAuthority)
              B2C              \(provider.b2cAuthority())   (also \(Directory.policies.dropFirst().joined(separator: ", ")))
              AD FS            \(provider.adfsAuthority)
              Sovereign cloud  \(provider.sovereignAuthority())   (also \(Directory.sovereignTenant.domain))
              OpenID Connect   \(provider.issuer)
              GitHub           \(provider.baseURL)   (API: /api/v3; as an HTTP proxy: http://github.localhost)
              Google           \(provider.baseURL)/google
              Slack            \(provider.baseURL)/slack
              OAuth 2.0        \(provider.baseURL)/as/one   (also /as/two, /as/…)
              Device codes     \(provider.baseURL)/device

            """
        if let caFile = provider.caFile { text += "  CA certificate   \(caFile)\n" }
        text += "\nUsers (password: \(Directory.password))\n"
        for user in provider.summary["users"]?.array ?? [] {
            text +=
                "  \(user["username"]?.string ?? "")  \(user["name"]?.string ?? "")  (\(user["kind"]?.string ?? ""))\n"
        }
        text += "\nClients\n"
        for client in provider.summary["clients"]?.array ?? [] {
            text += "  \(client["clientId"]?.string ?? "")  \(client["name"]?.string ?? "")\n"
        }
        for server in provider.summary["servers"]?.array ?? [] {
            text += "\nClients of \(server["name"]?.string ?? "")\n"
            for client in server["clients"]?.array ?? [] {
                let secret = client["clientSecret"]?.string.map { "  secret \($0)" } ?? ""
                text += "  \(client["clientId"]?.string ?? "")  \(client["name"]?.string ?? "")\(secret)\n"
            }
        }
        return text + """

            Control it
              \(curl) \(provider.baseURL)/_sandbox/state
              \(curl) \(provider.baseURL)/_sandbox/clock -d '{"advance":3600}'
              \(curl) \(provider.baseURL)/_sandbox/approve -d '{"user_code":"CODE","username":"ada@contoso.example"}'
              \(curl) \(provider.baseURL)/_sandbox/faults -d '{"kind":"error","error":"invalid_grant","endpoint":"token:refresh_token","times":1}'
              \(curl) \(provider.baseURL)/_sandbox/faults -d '{"kind":"profile","name":"loose"}'   (all: /_sandbox/quirks)
              \(curl) \(provider.baseURL)/_sandbox/demand -d '{"tenant":"fabrikam.example","context":"c1"}'
              \(curl) -X DELETE \(provider.baseURL)/_sandbox/faults

            """
    }
}

/// Writes everything unbuffered: a caller may be waiting for the line.
private func say(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        bytes = bytes.dropFirst(count)
    }
}
