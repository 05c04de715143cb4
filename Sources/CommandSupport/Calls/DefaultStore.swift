import Glibc
import Identity
package import TokenCache

/// The store to use if none is set by option, environment or settings.
///
/// An existing store is used: the plain file first, as the documented place, then those that foyer chose or moved to
/// before. Otherwise the first write decides. It uses an unlocked session keyring, which is safest and needs no prompt.
/// Without one it uses the plain file of mode 0600 and reports that: in a container or over SSH a script must find its
/// tokens in the documented place, and cannot type the passphrase of an `encrypted:` store.
package struct DefaultStore: Sendable {
    private let folder: String
    private let hasBus: Bool

    /// Whether there is a D-Bus session, which a keyring needs.
    package var hasSession: Bool { hasBus }

    package init(_ environment: ProcessEnvironment) {
        folder = environment.dataFolder
        // GLib's rules. Without a bus, libsecret is not even loaded.
        hasBus =
            environment["DBUS_SESSION_BUS_ADDRESS"] != nil
            || environment["XDG_RUNTIME_DIR"].map { access($0 + "/bus", F_OK) == 0 } ?? false
    }

    /// The chosen store, and the reason to show.
    package struct Choice: Sendable {
        package var spec: StoreSpec
        package var reason: String
        package var isNew: Bool
    }

    package var file: StoreSpec { .file(path: folder + "/token_cache.json") }
    package var sealed: StoreSpec { .encrypted(path: folder + "/token_cache.sealed") }
    package var keyring: StoreSpec {
        .keyring(KeyringItem(signal: folder + "/foyer.keyring", name: "foyer", label: Product.name))
    }

    package var existing: StoreSpec? { ifThere(file) ?? ifThere(sealed) ?? ifThere(keyring) }

    private func ifThere(_ spec: StoreSpec) -> StoreSpec? { access(spec.path, F_OK) == 0 ? spec : nil }

    /// For reading: a keyring that does not exist is not contacted.
    package var forReading: StoreSpec { existing ?? file }

    package func forWriting() -> Choice {
        if let existing { return Choice(spec: existing, reason: "it already exists", isNew: false) }
        if let trouble = keyringTrouble() { return Choice(spec: file, reason: trouble, isNew: true) }
        return Choice(spec: keyring, reason: "the session keyring is unlocked", isNew: true)
    }

    /// Why the session keyring is not usable; nil if it is.
    package func keyringTrouble() -> String? {
        guard hasBus else { return "no session keyring" }
        do throws(KeyringTrouble) {
            try SecretService.check()
            return nil
        } catch {
            switch error {
            case .missing: return "no session keyring"
            case .locked: return "the session keyring is locked"
            case .silent: return "the session keyring does not respond"
            case .refused(let why): return "the session keyring reported an error: \(why)"
            case .tooLarge: return "the session keyring is full"
            }
        }
    }
}

/// How a store is protected and could be, for `foyer store show`, `foyer doctor` and the interface.
package enum StoreProtection {
    /// - Parameter mode: of an existing file, see ``openMode(of:)``.
    package static func words(_ kind: StoreSpec.Kind, openMode mode: String? = nil) -> String {
        switch kind {
        case .file:
            mode.map { "plain file, readable by others (mode \($0))" } ?? "plain file, readable only by you"
        case .encrypted: "encrypted file (AES-256-GCM)"
        case .keyring: "keyring item"
        }
    }

    package static func readers(_ kind: StoreSpec.Kind, openMode mode: String? = nil) -> String {
        switch kind {
        case .file where mode != nil:
            "other users who can open its folder, anyone with the disk or a backup"
        case .file: "programs running as you, root, anyone with the disk or a backup"
        case .encrypted: "programs running as you while unlocked, and root; not someone with the disk or a backup"
        case .keyring: "programs in your session while unlocked; not someone with the disk or a backup"
        }
    }

    /// The mode of a plain file that others can read, such as `0644`; nil if only the owner can.
    package static func openMode(of spec: StoreSpec?) -> String? {
        guard case .file(let path)? = spec else { return nil }
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & 0o044 != 0 else { return nil }
        return "0" + String(info.st_mode & 0o777, radix: 8)
    }

    /// The command that moves the default store from a plain file to the keyring or, without one, to an encrypted file;
    /// nil if it is already protected.
    static func better(than spec: StoreSpec?, _ store: DefaultStore) -> String? {
        guard case .file? = spec else { return nil }
        if store.keyringTrouble() == nil { return "foyer store move --to keyring:foyer" }
        guard case .encrypted(let path) = store.sealed else { return nil }
        return "foyer store move --to \("encrypted:\(path)".shellWord)"
    }
}

extension CommandContext {
    /// The command that protects a plain-file store; nil if it is protected, and for the demo's temporary store.
    package func commandToProtect(_ spec: StoreSpec?) -> String? {
        guard homeOfPrograms == nil, let move = StoreProtection.better(than: spec, DefaultStore(environment)) else {
            return nil
        }
        // A client can have its own store.
        let client = shared.store == nil ? shared.client.map { " --client \($0.shellWord)" } ?? "" : ""
        return move + client + storeOptions
    }
}
