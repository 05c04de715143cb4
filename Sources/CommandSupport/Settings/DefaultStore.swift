import Glibc
import Identity
package import TokenCache

/// The store when none is named anywhere.
///
/// One that already exists is used as it is: the plain file first, which is the documented place, and then those that
/// this program chose or moved to before. When there is none yet, the machine decides at the first write: an open
/// keyring of the session is taken, as tokens are safest there and nobody has to be asked. Without one it is the plain
/// file of mode 0600, and that is said: a script that signs in for the first time in a container or over SSH must find
/// its tokens at the documented place, and an `encrypted:` store would ask for a passphrase that nobody there can type.
/// Whoever names a store, by option, environment or settings, is never second-guessed.
package struct DefaultStore: Sendable {
    private let folder: String
    private let hasBus: Bool

    /// Whether there is a session bus that a keyring could be asked over.
    package var hasSession: Bool { hasBus }

    package init(_ environment: ProcessEnvironment) {
        folder = environment.dataFolder
        // As GLib looks for it: where there is no bus, libsecret is not even loaded.
        hasBus =
            environment["DBUS_SESSION_BUS_ADDRESS"] != nil
            || environment["XDG_RUNTIME_DIR"].map { access($0 + "/bus", F_OK) == 0 } ?? false
    }

    /// What is chosen, and why in words for a person.
    package struct Choice: Sendable {
        package var spec: StoreSpec
        package var reason: String
        /// Whether it is not there yet.
        package var isNew: Bool
    }

    package var file: StoreSpec { .file(path: folder + "/token_cache.json") }
    package var sealed: StoreSpec { .encrypted(path: folder + "/token_cache.sealed") }
    package var keyring: StoreSpec {
        .keyring(KeyringItem(signal: folder + "/foyer.keyring", name: "foyer", label: Product.name))
    }

    /// The one that is there; nil when none is.
    package var existing: StoreSpec? { ifThere(file) ?? ifThere(sealed) ?? ifThere(keyring) }

    private func ifThere(_ spec: StoreSpec) -> StoreSpec? { access(spec.path, F_OK) == 0 ? spec : nil }

    /// What a reader looks into: nothing is asked of the session's keyring for a store that is not there.
    package var forReading: StoreSpec { existing ?? file }

    /// What a first write goes to.
    package func forWriting() -> Choice {
        if let existing { return Choice(spec: existing, reason: "it already exists", isNew: false) }
        if let trouble = keyringTrouble() { return Choice(spec: file, reason: trouble, isNew: true) }
        return Choice(spec: keyring, reason: "this session has an open keyring", isNew: true)
    }

    /// Why the session's keyring cannot be used; nil when it can.
    package func keyringTrouble() -> String? {
        guard hasBus else { return "this session has no keyring" }
        do throws(KeyringTrouble) {
            try SecretService.check()
            return nil
        } catch {
            switch error {
            case .missing: return "this session has no keyring"
            case .locked: return "the session's keyring is locked"
            case .silent: return "the session's keyring does not answer"
            case .refused(let why): return "the session's keyring refuses: \(why)"
            case .tooLarge: return "the session's keyring is full"
            }
        }
    }
}

/// What protects a store, and what would: for `foyer store show`, `foyer doctor` and the interface.
package enum StoreProtection {
    /// In a few words what stands between a store's tokens and others.
    ///
    /// - Parameter mode: of a file that is there, see ``openMode(of:)``.
    package static func words(_ kind: StoreSpec.Kind, openMode mode: String? = nil) -> String {
        switch kind {
        case .file:
            mode.map { "a plain file that others can read (mode \($0))" } ?? "a plain file that only you can read"
        case .encrypted: "a file encrypted with AES-256-GCM"
        case .keyring: "an item of the session's keyring"
        }
    }

    package static func readers(_ kind: StoreSpec.Kind, openMode mode: String? = nil) -> String {
        switch kind {
        case .file where mode != nil:
            "users of this machine that reach its folder, and anyone with the disk or a backup"
        case .file: "every program that runs as you, root, and anyone with the disk or a backup"
        case .encrypted: "programs that run as you while its key is held, and root; not who gets the disk or a backup"
        case .keyring: "programs of your session while the keyring is open; not who gets the disk or a backup"
        }
    }

    /// The mode of a plain file that others may read, such as `0644`; nil where only the owner may.
    package static func openMode(of spec: StoreSpec?) -> String? {
        guard case .file(let path)? = spec else { return nil }
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & 0o044 != 0 else { return nil }
        return "0" + String(info.st_mode & 0o777, radix: 8)
    }

    /// What moves the default store from a plain file to what the machine could have instead; nil for a store that is
    /// protected.
    static func better(than spec: StoreSpec?, _ store: DefaultStore) -> String? {
        guard case .file? = spec else { return nil }
        if store.keyringTrouble() == nil { return "foyer store move --to keyring:foyer" }
        guard case .encrypted(let path) = store.sealed else { return nil }
        return "foyer store move --to \("encrypted:\(path)".shellWord)"
    }
}

extension CommandContext {
    /// The command that protects a store better than it is, see ``StoreProtection/better(than:_:)``.
    ///
    /// - Returns: nil for a store that is protected, and in the demo, which throws its store away.
    package func commandToProtect(_ spec: StoreSpec?) -> String? {
        guard homeOfPrograms == nil, let move = StoreProtection.better(than: spec, DefaultStore(environment)) else {
            return nil
        }
        // A client may have a store of its own.
        let client = shared.store == nil ? shared.client.map { " --client \($0.shellWord)" } ?? "" : ""
        return move + client + storeOptions
    }
}
