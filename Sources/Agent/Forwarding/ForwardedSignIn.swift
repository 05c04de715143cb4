/// A sign-in at this machine that somebody elsewhere has asked for, and a person here has allowed.
package struct ForwardedSignIn: Sendable {
    package enum End: Hashable, Sendable {
        case signedIn
        /// The person gave up, the provider refused, or it took too long.
        case failed
        /// No browser can be opened from the agent.
        case noBrowser
    }

    /// Opens it and waits for its end; ends with the task that waits.
    package typealias Opening = @Sendable (ForwardedSignIn) async -> End

    /// The client's name in the settings here.
    package let client: String
    /// Whom the provider's page suggests.
    package let loginHint: String?
    package let scopes: [String]
    /// Of the desktop that the forwarding ssh runs in, as the agent itself may have been started without one.
    package let desktop: [String: String]

    /// What a browser needs of an environment.
    package static let variables = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "BROWSER",
    ]
}
