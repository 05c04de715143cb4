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
    package let life: TokenLife
    /// Why it is not a newer one, though its time has come.
    package var notRenewed: Failure?

    /// Whether it is time for another one.
    package func isDue(at now: Date) -> Bool { life.isDue(at: now) }
}
