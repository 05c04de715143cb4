import Crypto
import Identity

/// Separates access tokens whose request had non-standard parameters, as in MSAL for Python (from 1.38) and for Go.
package enum ExtCacheKey {
    /// The `ext_cache_key` for an AI agent's session, sent by Azure CLI as `client_session`.
    package static func of(agentSession: String) -> String {
        // Netstrings, so that different parameters never give the same text.
        let text = "14:client_session\(agentSession.utf8.count):\(agentSession)"
        return Base64URL.encode(SHA256.hash(data: Array(text.utf8)).map(\.self)).asciiLowercased
    }
}
