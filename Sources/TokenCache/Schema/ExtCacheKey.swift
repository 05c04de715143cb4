import Crypto
import Identity

/// Keeps access tokens apart whose request had non-standard parameters, as MSAL for Python (from 1.38) and for Go do.
package enum ExtCacheKey {
    /// The `ext_cache_key` of tokens of an AI agent's session, which Azure CLI sends as `client_session`.
    package static func of(agentSession: String) -> String {
        // Netstrings, so that no two lists of parameters give one text.
        let text = "14:client_session\(agentSession.utf8.count):\(agentSession)"
        return Base64URL.encode(SHA256.hash(data: Array(text.utf8)).map(\.self)).asciiLowercased
    }
}
