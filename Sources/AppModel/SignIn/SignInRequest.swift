package import Identity

package struct SignInRequest: Equatable, Sendable {
    package var clientID: String
    /// The client's name, if it has one: several can have its ID.
    package var clientName: String?
    /// Includes authority, tenant, method, prompt, login hint and claims.
    package var request: TokenRequest
    /// For the client, if it is saved in the settings; nil for a name after the provider.
    package var name: String?

    /// The authority's URL; empty for the client's own.
    package var authority: String { request.authority?.address.text ?? "" }
    package var tenant: String? { request.tenant }

    /// The use of the client that this sign-in is.
    package var use: ClientUse {
        ClientUse(
            clientID: clientID, name: clientName, authority: request.authority?.address.text,
            kind: request.authority?.kind)
    }
}
