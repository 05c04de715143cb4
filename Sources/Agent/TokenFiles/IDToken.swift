package import FoundationEssentials
package import Identity

/// An ID token of the cache, and what is known of it.
package struct IDToken: Sendable {
    package let secret: Secret
    package let account: Account
    package let clientID: String
    package let tenantID: String
    package let expiresOn: Date
    package let source: AcquiredToken.Source
    let life: TokenLife
}
