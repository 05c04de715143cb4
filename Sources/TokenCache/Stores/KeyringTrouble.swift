import Identity

package enum KeyringTrouble: Error, Hashable, Sendable {
    /// No library, bus, service or default keyring; with the reason.
    case missing(String)
    /// It exists, and the user must unlock it.
    case locked
    /// No response within two seconds.
    case silent
    case refused(String)
    case tooLarge(bytes: Int)
}

extension KeyringTrouble {
    func message(_ name: String) -> String {
        switch self {
        case .missing(let why): "\(name) is not available: \(why)"
        case .locked: "\(name) is in a locked keyring"
        case .silent: "the keyring for \(name) did not respond within 2 seconds"
        case .refused(let why): "the keyring for \(name) reported an error: \(why)"
        case .tooLarge(let bytes):
            "\(name) is too large for a keyring: \(bytes) bytes, at most \(StoreSize.maximumInKeyring)"
        }
    }

    var hint: Failure.Hint? {
        switch self {
        case .missing:
            "run a keyring service such as gnome-keyring (needs libsecret and D-Bus), or use encrypted:PATH"
        case .locked: "unlock it with your keyring program, or log in to the desktop"
        case .silent: "look for an unlock prompt, or use encrypted:PATH"
        case .refused: nil
        case .tooLarge: .store(.pruneOrSeal)
        }
    }
}
