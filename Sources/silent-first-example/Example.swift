import Glibc
import Identity
import SilentFirst

/// Prints an access token: from the store, after a refresh, or after one sign-in on any device.
///
///     silent-first-example AUTHORITY CLIENT-ID STORE SCOPE...
@main struct Example {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 4 else { return end(64, "usage: silent-first-example AUTHORITY CLIENT-ID STORE SCOPE...") }
        let authority: Authority
        do { authority = try Authority(words[0]) } catch { return end(64, "invalid authority: \(words[0])") }

        let application = PublicClientApplication(
            PublicClientApplication.Configuration(clientID: words[1], authority: authority, store: words[2]))
        let request = TokenRequest(scopes: ScopeSet(words[3...]))

        do throws(Failure) {
            let token = try await application.acquireTokenSilentFirst(request, userAgents: .deviceCodeOnly) { event in
                switch event {
                case .deviceCode(let prompt): say("open \(prompt.verificationURI.text) and type \(prompt.userCode)")
                case .step(let step): say(step.words)
                default: break
                }
            }
            say("\(token.account.label), from \(token.source.rawValue)")
            print(token.accessToken.reveal())
            await application.close()
        } catch {
            await application.close()
            if let step = error.nextStep { say("hint: \(step)") }
            end(1, error.message)
        }
    }

    /// Standard output is for the token only.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    private static func end(_ status: Int32, _ line: String) {
        say(line)
        exit(status)
    }
}
