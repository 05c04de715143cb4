import Identity
import SilentFirst

/// The status line of a mail program.
struct Mailbox {
    let application: PublicClientApplication
    let userAgents: UserAgents
    func status(mayAsk: Bool) async -> String {
        let request = TokenRequest(scopes: ["Mail.Read"])
        do throws(Failure) {
            let token =
                mayAsk
                ? try await application.acquireTokenSilentFirst(request, userAgents: userAgents)
                : try await application.acquireTokenSilent(request)
            return "mail of \(token.account.username)"
        } catch {
            switch error.code {
            case .interactionRequired: return "sign in to read mail"
            case .unavailable: return "offline"
            default: return error.message
            }
        }
    }
}
