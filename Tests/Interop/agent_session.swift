import Glibc
import Identity
import SilentFirst

/// Prints whence an access token came and the token, for an AI agent's session or, when that is empty, for its person:
///
///     agent_session AUTHORITY CLIENT-ID STORE CERTIFICATES SESSION SCOPE...
@main struct AgentSession {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let application = PublicClientApplication(
            ClientConfiguration(
                clientID: words[1], authority: try Authority(words[0]), store: words[2],
                network: NetworkSettings(certificateFile: words[3])))
        let session = words[4].isEmpty ? nil : words[4]
        do throws(Failure) {
            let token = try await application.acquireTokenSilent(
                TokenRequest(scopes: ScopeSet(words[5...]), agentSession: session))
            print(token.source.rawValue, token.accessToken.reveal())
        } catch { print(error.code.rawValue, error.message) }
        await application.close()
    }
}
