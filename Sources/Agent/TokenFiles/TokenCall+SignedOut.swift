import CommandSupport
import Identity
import SilentCore
import TokenCache

extension TokenCall {
    /// Whether the account is signed out of the client: a silent call cannot succeed, and the store has no credential
    /// of the account for the client, such as a valid ID token.
    var isSignedOut: Bool {
        let decision = cached.decision(on: request, from: snapshot)
        switch decision.outcome {
        case .interaction(.signedOut), .interaction(.signingOut): return true
        case .interaction(.noCredential(let account)):
            // The broker may have a token of an account without credentials in the store.
            return !decision.asksBroker
                && snapshot.credentials(of: account.id, clientID: client.clientID).isEmpty
        case .serve, .refresh, .upgrade, .interaction, .failure: return false
        }
    }
    func holds(_ token: Secret) -> Bool {
        snapshot.credentials(clientID: client.clientID).contains { $0.secret == token }
    }
}
