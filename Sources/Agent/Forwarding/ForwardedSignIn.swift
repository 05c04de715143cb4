/// A sign-in on this machine, requested from another host or container and allowed by the user here.
package struct ForwardedSignIn: Sendable {
    package enum End: Hashable, Sendable {
        case signedIn
        /// Cancelled, refused by the provider, or timed out.
        case failed
        case noBrowser
    }

    /// Opens the sign-in and waits for its end. Stops when the waiting task is cancelled.
    package typealias SignInOpener = @Sendable (ForwardedSignIn) async -> End

    package let client: String
    package let loginHint: String?
    package let scopes: [String]
    /// Variables of the desktop with the forwarding ssh: the agent may have been started outside of it.
    package let desktop: [String: String]

    package static let variables = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "BROWSER",
    ]
}
