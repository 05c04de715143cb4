/// What is known of a token's signature; never left unsaid.
package enum Verification: Equatable, Sendable {
    case checking
    case right(key: String)
    case wrong(String)
    /// The issuer means it to be read by its resource alone.
    case notVerifiable(String)
    /// Nothing was found out.
    case failed(String)
}
