/// A resource's demand that only a new sign-in can meet: a stronger or more recent authentication (RFC 9470), or more
/// scopes (RFC 6750 section 3.1).
///
/// ```swift
/// request.stepUp = StepUpChallenge(wwwAuthenticate: fields)
/// ```
public struct StepUpChallenge: Hashable, Sendable {
    /// The missing scopes; empty if the authentication is insufficient.
    public let scopes: ScopeSet
    /// Authentication context classes, in order of preference.
    public let acrValues: [String]
    /// Maximum seconds since the user last authenticated; 0 if the resource only says that it was insufficient.
    public let maxAge: Int?

    private static let mostValues = 16
    private static let mostScopes = 64

    /// - Parameter fields: the values of the response's `WWW-Authenticate` fields.
    /// - Returns: nil unless one of them is a `Bearer` or `DPoP` challenge with the error
    ///   `insufficient_user_authentication`, or `insufficient_scope` and its scopes. Invalid values are dropped.
    public init?(wwwAuthenticate fields: [String]) {
        for challenge in AuthenticationChallenge.read(fields)
        where ["bearer", "dpop"].contains(challenge.scheme.asciiLowercased) {
            switch challenge["error"] {
            case "insufficient_user_authentication":
                acrValues = (challenge["acr_values"] ?? "").split(separator: " ").map(String.init).prefix(
                    Self.mostValues
                )
                .filter(Self.isClass)
                let age = challenge["max_age"].flatMap { Int($0) }.flatMap { Self.ages.contains($0) ? $0 : nil }
                maxAge = age ?? (acrValues.isEmpty ? 0 : nil)
                scopes = []
                return
            case "insufficient_scope":
                let missing = ScopeSet(
                    (challenge["scope"] ?? "").split(separator: " ").prefix(Self.mostScopes).map(String.init))
                guard !missing.isEmpty else { continue }
                (scopes, acrValues, maxAge) = (missing, [], nil)
                return
            default: continue
            }
        }
        return nil
    }

    /// A saved challenge; nil unless it demands something that a resource can demand.
    package init?(scopes: ScopeSet, acrValues: [String], maxAge: Int?) {
        guard scopes.names.count <= Self.mostScopes, acrValues.count <= Self.mostValues,
            acrValues.allSatisfy(Self.isClass), maxAge.map(Self.ages.contains) ?? true,
            !scopes.isEmpty || !acrValues.isEmpty || maxAge != nil
        else { return nil }
        (self.scopes, self.acrValues, self.maxAge) = (scopes, acrValues, maxAge)
    }

    private static let ages = 0...31_536_000

    private static func isClass(_ text: String) -> Bool {
        text.utf8.count <= 255 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// After "the resource requires".
    package var words: String {
        guard scopes.isEmpty else { return "more scopes: \(scopes)" }
        let age = maxAge.map { $0 == 0 ? "a new sign-in" : "a sign-in in the last \($0) s" }
        let classes = acrValues.isEmpty ? nil : "a sign-in of class \(acrValues.joined(separator: " or "))"
        return [classes, age].compactMap(\.self).joined(separator: ", and ")
    }
}

extension TokenRequest {
    /// The request with the demands of ``stepUp``, for the interactive flow.
    package var steppedUp: TokenRequest {
        guard let stepUp else { return self }
        var request = self
        request.scopes = scopes.union(stepUp.scopes)
        request.acrValues = stepUp.acrValues + acrValues.filter { !stepUp.acrValues.contains($0) }
        request.maxAge = [maxAge, stepUp.maxAge].compactMap(\.self).min()
        return request
    }

    /// Applies a resource's `WWW-Authenticate` fields: a claims challenge, or a step-up challenge.
    ///
    /// - Returns: whether there was one.
    package mutating func apply(challenge fields: [String]) -> Bool {
        if let challenge = ClaimsChallenge(wwwAuthenticate: fields) {
            claims = challenge.claims
            return true
        }
        guard let challenge = StepUpChallenge(wwwAuthenticate: fields) else { return false }
        stepUp = challenge
        self = steppedUp
        // A refresh cannot meet it.
        forceRefresh = false
        return true
    }
}
