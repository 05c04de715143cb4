package import CommandSupport
package import Identity
import StrictJSON

/// `azd auth token`, as the Azure SDKs call the Azure Developer CLI.
package struct DeveloperCLIRequest: Hashable, Sendable {
    package var scopes: [String] = []
    package var tenant: String?
    /// A claims challenge, as JSON.
    package var claims: String?

    private static let ignored = ["--no-prompt", "--debug"]

    /// - Returns: nil for another command, for options that only azd supports, and without JSON output.
    package init?(_ words: [String]) {
        guard words.starts(with: ["auth", "token"]) else { return nil }
        var form: String?
        var rest = words.dropFirst(2)
        while let word = rest.popFirst() {
            if Self.ignored.contains(word) { continue }
            let option = OptionWord(word)
            guard let value = option.value ?? rest.popFirst() else { return nil }
            switch option.name {
            case "--output", "-o": form = value
            case "--scope": scopes.append(value)
            case "--tenant-id": tenant = value
            case "--claims":
                guard let bytes = Base64URL.decodeLeniently(value), let text = String(validating: bytes, as: UTF8.self),
                    ClaimsRequest.isValid(text)
                else { return nil }
                claims = text
            default: return nil
            }
        }
        guard form == "json", scopes.allSatisfy(ScopeSet.isScope) else { return nil }
        // azd's default.
        if scopes.isEmpty { scopes = ["https://management.azure.com/.default"] }
    }

    package func query(_ environment: ProcessEnvironment) -> TokenQuery {
        // azd signs in with Azure CLI's client.
        var query = TokenQuery(TokenOptions(), ProgramRequest(.azd, person: .nobody, environment), .azureCLI)
        (query.asked.scopes, query.asked.tenant, query.asked.claims) = (scopes, tenant, claims)
        return query
    }

    /// Without fractional seconds, which the SDKs reject.
    package static func answer(_ token: IssuedToken) -> String {
        JSONValue(("token", token.secret.reveal().json), ("expiresOn", token.expiresOn.rfc3339.json)).serialized()
            + "\n"
    }

    /// azd's message on standard error. The words "not logged in" make an SDK try its next credential.
    package static func refusal(_ failure: Failure) -> String {
        let words =
            failure.wantsOrdinarySignIn
            ? "ERROR: not logged in, run `azd auth login` to login; \(failure.messageAndStep)" : failure.messageAndStep
        return JSONValue(("type", "consoleMessage"), ("data", JSONValue(("message", words.json)))).serialized() + "\n"
    }
}
