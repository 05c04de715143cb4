import CommandSupport
import Identity
import SilentFirst
import TokenCache

extension TokenCall {
    /// Whether the account is signed out of the client: a silent call has nothing to give, nor anything to ask with,
    /// and the client has nothing left of it, such as an ID token that still lives.
    var isSignedOut: Bool {
        let decision = application.decision(on: request, from: snapshot)
        switch decision.outcome {
        case .interaction(.signedOut): return true
        case .interaction(.noCredential(let account)):
            // The broker may have a token of an account that the store has none of.
            return !decision.asksBroker
                && snapshot.credentials(of: account.id, clientID: client.clientID).isEmpty
        case .serve, .refresh, .upgrade, .interaction, .failure: return false
        }
    }
    /// Whether the store has this token of the client.
    func holds(_ token: Secret) -> Bool {
        snapshot.credentials(clientID: client.clientID).contains { $0.secret == token }
    }
}
