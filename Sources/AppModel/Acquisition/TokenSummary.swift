package import FoundationEssentials
package import Identity

/// Everything shown about a token, without the token itself.
package struct TokenSummary: Equatable, Sendable {
    package let account: Account
    package let clientID: String
    package let source: AcquiredToken.Source
    package let scopes: ScopeSet
    package let declined: ScopeSet
    package let expiresOn: Date
    package let tenantID: String
    package let authority: String
    package let trail: AcquisitionTrace

    init(_ token: AcquiredToken, asked: ScopeSet) {
        account = token.account
        clientID = token.clientID
        source = token.source
        scopes = token.scopes
        declined = asked.declined(granted: token.scopes)
        expiresOn = token.expiresOn
        tenantID = token.tenantID
        authority = token.authority.address.text
        trail = token.trail
    }
}

/// The progress of a request for a token.
package enum TokenPhase: Equatable, Sendable {
    case waiting
    case succeeded(TokenSummary)
    case failed(Failure)

    var failure: Failure? { if case .failed(let failure) = self { failure } else { nil } }

    /// After a failure, for the provider's support.
    var correlationID: String? { failure?.correlationID?.uuidString.lowercased() }
}

extension AcquiredToken.Source {
    package var words: String {
        switch self {
        case .cache: "cache"
        case .refresh: "refresh"
        case .extendedLifetime: "cache, in its extended lifetime: the provider is unreachable"
        case .broker: "this machine's broker"
        case .interactive: "sign-in"
        }
    }
}
