package import Identity

/// A sign-in as the form describes it.
package struct SignInRequest: Equatable, Sendable {
    package var clientID: String
    /// With authority, tenant, method, prompt, login hint and claims in it.
    package var request: TokenRequest

    /// The authority's address; empty when it is the client's own.
    package var authority: String { request.authority?.address.text ?? "" }
    package var tenant: String? { request.tenant }
}
