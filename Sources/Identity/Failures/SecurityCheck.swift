/// A check that a response can fail. Code compares these, never messages. The raw value is its name in a sentence.
package enum SecurityCheck: String, Hashable, Sendable, CaseIterable {
    case nativeSignIn = "native sign-in"
    case issuer
    case tokenEndpoint = "token endpoint"
    case userInfo = "user info"
    case registration
    case instanceMetadata = "instance metadata"
    case authority
    case proofKey = "proof key"
    case tokenResponse = "token response"
    case tokenType = "token type"
    case state
    case code
    case redirect
    case deviceCode = "device code"
    case pushedRequest = "pushed request"
    case idTokenForm = "ID token form"
    case idTokenType = "ID token type"
    case idTokenIssuer = "ID token issuer"
    case idTokenAudience = "ID token audience"
    case idTokenAuthorizedParty = "ID token authorized party"
    case idTokenExpiry = "ID token expiry"
    case idTokenIssueTime = "ID token issue time"
    case idTokenBegin = "ID token begin"
    case idTokenNonce = "ID token nonce"
    case idTokenAuthenticationClass = "ID token authentication class"
    case idTokenAuthenticationTime = "ID token authentication time"
    case idTokenSubject = "ID token subject"
    case idTokenAccessTokenHash = "ID token access token hash"
    case idTokenSignature = "ID token signature"
}
