/// `[forward]`: the tokens that the agent gives to other hosts and containers; none without clients and scopes.
package struct ForwardSettings: Equatable, Sendable {
    /// By name or client ID.
    package var clients: [String] = []
    /// By full username or home account identifier. Empty: all accounts of the clients, without listing them to the
    /// remote host.
    package var accounts: [String] = []
    /// Full scopes; `RESOURCE/*` stands for all scopes of a resource except `.default`.
    package var scopes: [String] = []
    /// How long a forwarded connection is served.
    package var lifetime: Duration = Self.usualLifetime
    /// Whether sending a token requires the user's permission.
    package var confirms = true

    package static let usualLifetime: Duration = .seconds(8 * 3600)

    package var servesNothing: Bool { clients.isEmpty || scopes.isEmpty }
}
