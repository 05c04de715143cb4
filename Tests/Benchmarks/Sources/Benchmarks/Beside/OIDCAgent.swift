import Glibc

/// oidc-agent of its own, which has an account of the sandbox loaded and its access token cached.
struct OIDCAgent {
    private static let account = "bench"

    private let process: pid_t
    private let client: String
    private let environment: [String]

    /// Nil when oidc-agent, oidc-gen or oidc-token is not installed, or does not take the account.
    init?(_ sandbox: Sandbox, _ scratch: Scratch) {
        guard let agent = Programs.onPath("oidc-agent"), let generator = Programs.onPath("oidc-gen"),
            let client = Programs.onPath("oidc-token"), let refreshToken = sandbox.refreshToken
        else { return nil }
        self.client = client
        _ = scratch.folder(".oidc-agent")
        let socket = scratch.folder("agent") + "/socket"
        environment = scratch.environment + ["OIDC_SOCK=\(socket)"]
        // In the foreground, so that an interrupt of this program ends it, too.
        let words = [
            agent, "--console", "--socket-path=\(socket)", "--no-autoload", "--no-webserver", "--no-scheme",
            "--no-autoreauthenticate",
        ]
        guard let process = Child.start(Command(words, scratch.environment)) else { return nil }
        self.process = process
        for _ in 0..<200 where access(socket, F_OK) != 0 { usleep(10_000) }
        let generate = [
            generator, Self.account, "--rt-env", "--pw-env", "--no-save", "--manual", "--issuer=\(sandbox.issuer)",
            "--client-id=\(Sandbox.clientID)", "--client-secret=", "--scope=openid offline_access",
            "--redirect-uri=http://localhost:9999", "--confirm-default", "--prompt=none",
        ]
        let secrets = ["OIDC_REFRESH_TOKEN=\(refreshToken)", "OIDC_ENCRYPTION_PW=benchmarks"]
        guard Child.succeeds(Command(generate, environment + secrets)), Child.succeeds(token) else {
            end()
            return nil
        }
    }

    /// Asks the agent for the token that it has cached.
    var token: Command { Command([client, Self.account], environment) }

    func end() {
        kill(process, SIGTERM)
        _ = Child.wait(process)
    }
}
