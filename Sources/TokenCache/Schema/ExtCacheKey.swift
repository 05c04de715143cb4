import Crypto
import Identity

/// Separates access tokens whose request had non-standard parameters, as in MSAL for Python (from 1.38) and for Go.
package enum ExtCacheKey {
    /// The `ext_cache_key` of a request; nil without such parameters.
    ///
    /// - Parameters:
    ///   - agentSession: an AI agent's session, sent by Azure CLI as `client_session`.
    ///   - resource: the resource indicator of RFC 8707, `resource`.
    package static func of(agentSession: String?, resource: String? = nil) -> String? {
        let fields = [("client_session", agentSession), ("resource", resource)].compactMap { name, value in
            value.map { (name, $0) }
        }
        guard !fields.isEmpty else { return nil }
        // Netstrings in the order of the names, so that different parameters never give the same text.
        let text = fields.reduce(into: "") { text, field in
            for part in [field.0, field.1] { text += "\(part.utf8.count):\(part)" }
        }
        return Base64URL.encode(SHA256.hash(data: Array(text.utf8)).map(\.self)).asciiLowercased
    }
}
