/// `[forward]`: what the agent gives to other hosts and to containers. Without clients and scopes that is nothing.
package struct ForwardSettings: Equatable, Sendable {
    /// Clients, by name or identifier.
    package var clients: [String] = []
    /// Accounts, by username or home account identifier, in full. None named: every account of the clients, and none of
    /// them is told to the other side.
    package var accounts: [String] = []
    /// Scopes, each in full; `RESOURCE/*` stands for all of a resource but `.default`.
    package var scopes: [String] = []
    /// How long after it began a forwarding is served.
    package var lifetime: Duration = Self.usualLifetime
    /// Whether a person is asked before a token leaves.
    package var confirms = true

    package static let usualLifetime: Duration = .seconds(8 * 3600)

    package var servesNothing: Bool { clients.isEmpty || scopes.isEmpty }
}
