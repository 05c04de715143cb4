import Identity
public import SilentFirst

/// The status line of a mail program.
public struct Mailbox: Sendable {
    private let application: PublicClientApplication
    private let userAgents: UserAgents

    /// Creates the status line of an application's user.
    public init(_ application: PublicClientApplication, _ userAgents: UserAgents) {
        (self.application, self.userAgents) = (application, userAgents)
    }

    /// The text to show.
    public func status(mayAsk: Bool) async -> String {
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
