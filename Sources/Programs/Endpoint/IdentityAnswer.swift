import CommandSupport
import FoundationEssentials
import Identity
import StrictJSON

/// A response of the endpoint: a status, and a JSON object in the form of the request's protocol.
struct IdentityAnswer: Sendable {
    let status: Int
    let body: JSONValue

    /// Times have the forms that every Azure SDK reads: digits in a string, and RFC 3339 without fractions.
    init(_ token: IssuedToken, to request: IdentityRequest) {
        status = 200
        body =
            switch request.contract {
            case .appService:
                JSONValue(
                    ("access_token", token.secret.reveal().json), ("expires_on", String(token.expiresAt).json),
                    ("resource", request.resource.json), ("token_type", "Bearer"), ("client_id", token.clientID.json))
            case .instanceMetadata:
                JSONValue(
                    ("access_token", token.secret.reveal().json),
                    ("expires_in", String(max(0, token.expiresAt - Int64(Date().timeIntervalSince1970))).json),
                    ("expires_on", String(token.expiresAt).json), ("resource", request.resource.json),
                    ("token_type", "Bearer"), ("client_id", token.clientID.json))
            case .developerCLI:
                JSONValue(
                    ("status", "success"), ("token", token.secret.reveal().json),
                    ("expiresOn", token.expiresOn.rfc3339.json))
            }
    }

    init(_ refusal: IdentityRefusal, isSignIn: Bool = false) {
        status = refusal.status
        body =
            switch refusal.contract {
            case .appService, .instanceMetadata:
                JSONValue(("statusCode", JSONValue(integer: refusal.status)), ("message", refusal.message.json))
            case .developerCLI:
                JSONValue(
                    ("status", "error"), ("code", (isSignIn ? "NotSignedInError" : "GetTokenError").json),
                    ("message", refusal.message.json))
            }
    }

    init(_ failure: Failure, to contract: IdentityRequest.Contract) {
        self.init(
            IdentityRefusal(status: 400, message: failure.messageAndStep, contract: contract),
            isSignIn: failure.code == .interactionRequired)
    }
}
