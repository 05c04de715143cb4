import FoundationEssentials
import Glibc
import Identity
import SilentFirst

@main struct Hello {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        let authority: Authority
        do {
            authority = try Authority(words.first ?? "https://login.microsoftonline.com/organizations")
        } catch {
            print("no authority: \(words[0])")
            exit(64)
        }
        let configuration = ClientConfiguration(
            clientID: "11111111-2222-3333-4444-555555555555",
            authority: authority,
            store: home + "/hello-tokens.json",
            network: NetworkSettings(productName: "Hello/1.0"))

        let application = PublicClientApplication(configuration)
        var request = TokenRequest(scopes: ["User.Read"])
        request.forceRefresh = words.dropFirst().contains("refresh")
        do throws(Failure) {
            let token = try await application.acquireTokenSilentFirst(request, userAgents: .deviceCodeOnly) { event in
                if case .deviceCode(let prompt) = event {
                    print("open \(prompt.verificationURI.text) and type \(prompt.userCode)")
                    fflush(nil)
                }
            }
            print("hello, \(token.account.label), from \(token.source.rawValue)")
            for step in token.trail.steps { print("  \(step.words)") }
            await application.close()
        } catch {
            await application.close()
            print("\(error.code.rawValue): \(error.message)")
            if let step = error.nextStep { print("next step: \(step)") }
            exit(1)
        }
    }
}
