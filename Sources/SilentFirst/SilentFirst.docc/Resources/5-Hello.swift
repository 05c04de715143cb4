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
        do throws(Failure) {
            switch words.dropFirst().first {
            case "accounts": try await listAccounts(application)
            case "sign-out": try await signOut(application)
            case let word: try await greet(application, refreshes: word == "refresh")
            }
            await application.close()
        } catch {
            await application.close()
            print("\(error.code.rawValue): \(error.message)")
            if let step = error.nextStep { print("next step: \(step)") }
            exit(1)
        }
    }

    static func greet(_ application: PublicClientApplication, refreshes: Bool) async throws(Failure) {
        var request = TokenRequest(scopes: ["User.Read"])
        request.forceRefresh = refreshes
        let token = try await application.acquireTokenSilentFirst(request, userAgents: .deviceCodeOnly) { event in
            if case .deviceCode(let prompt) = event {
                print("open \(prompt.verificationURI.text) and type \(prompt.userCode)")
                fflush(nil)
            }
        }
        print("hello, \(token.account.label), from \(token.source.rawValue)")
        for step in token.trail.steps { print("  \(step.words)") }
    }

    static func listAccounts(_ application: PublicClientApplication) async throws(Failure) {
        let accounts = try await application.allAccounts()
        if accounts.isEmpty { print("no account is signed in") }
        for account in accounts { print(account.label) }
    }

    static func signOut(_ application: PublicClientApplication) async throws(Failure) {
        for account in try await application.allAccounts() {
            let options = SignOutOptions(endsBrowserSession: false)
            let outcome = try await application.signOut(account, options: options, userAgents: .deviceCodeOnly)
            print("\(account.label): removed \(outcome.removed), revoked \(outcome.revoked)")
        }
    }
}
