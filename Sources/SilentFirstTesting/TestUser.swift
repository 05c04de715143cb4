/// A user of a ``TestProvider``.
public struct TestUser: Hashable, Sendable {
    /// The name to sign in with: `preferred_username` in the ID token.
    public var username: String
    /// The name to show.
    public var name: String
    /// The object ID in the home tenant at Entra ID, `sub` elsewhere.
    public var id: String
    /// The home tenant; only for Entra ID.
    public var tenantID: String

    /// Creates a user; at Entra ID, both identifiers must be GUIDs.
    public init(username: String, name: String, id: String, tenantID: String = contoso) {
        (self.username, self.name, self.id, self.tenantID) = (username, name, id, tenantID)
    }

    /// The tenant of the two users below.
    public static let contoso = "7f58f645-c190-4ce5-9de4-e2b7acd2a6ab"
    /// A user of Contoso.
    public static let ada = TestUser(
        username: "ada@contoso.example", name: "Ada Lovelace", id: "9f4880d8-80ba-4c40-97bc-f7a23c703084")
    /// Another user of Contoso.
    public static let grace = TestUser(
        username: "grace@contoso.example", name: "Grace Hopper", id: "a91f3b0c-4f3f-4d3e-8b0a-2d6a9c5f1e77")
}
