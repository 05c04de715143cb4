package enum Product {
    /// Sent to providers with each request, and the label of keyring items.
    package static let name = "foyer"
    package static let version = "0.1.0"
    /// The environment variable of the ``ExecHandover``.
    package static let handOverVariable = "FOYER_HANDOVER"
    /// How often a process has started again because an upgrade had replaced only one of the two programs.
    package static let restartVariable = "FOYER_RESTARTS"
    /// Set for programs that setup queries for their configuration: a helper that they start exits immediately.
    package static let setupVariable = "FOYER_SETUP"
}
