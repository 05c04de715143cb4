import Identity

/// Why a keyring operation failed.
package enum KeyringTrouble: Error, Hashable, Sendable {
    /// No library, no bus, no service, or no keyring to keep new items in; with the reason.
    case missing(String)
    /// It is there, and somebody must unlock it.
    case locked
    /// No answer within two seconds.
    case silent
    case refused(String)
    case tooLarge(bytes: Int)
}

extension KeyringTrouble {
    func message(_ name: String) -> String {
        switch self {
        case .missing(let why): "\(name) is not available: \(why)"
        case .locked: "\(name) is in a keyring that is locked"
        case .silent: "the keyring of \(name) did not answer within 2 seconds"
        case .refused(let why): "the keyring of \(name) refused: \(why)"
        case .tooLarge(let bytes):
            "\(name) is too large for a keyring: \(bytes) bytes, at most \(StoreSize.maximumInKeyring)"
        }
    }

    var hint: Failure.Hint? {
        switch self {
        case .missing:
            "it needs libsecret, a session bus and a keyring service such as gnome-keyring; or use encrypted:PATH"
        case .locked: "unlock it by signing in at the desktop, or with your keyring program"
        case .silent: "see whether a window asks to unlock it; or use encrypted:PATH"
        case .refused: nil
        case .tooLarge: .store(.pruneOrSeal)
        }
    }
}
