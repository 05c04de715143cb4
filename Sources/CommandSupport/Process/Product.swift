/// Who this program is to others.
package enum Product {
    /// Told to providers with each request, and written as the label of keyring items.
    package static let name = "foyer"
    package static let version = "0.1.0"
    /// The environment variable of the ``HandOverNote``.
    package static let handOverVariable = "FOYER_HANDOVER"
    /// Set for the programs that are asked about their configuration: a helper that they call ends at once.
    package static let setupVariable = "FOYER_SETUP"
}
