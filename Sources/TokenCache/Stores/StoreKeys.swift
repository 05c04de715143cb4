import Crypto
package import Identity
import Synchronization

/// A passphrase prompt, for the terminal or pinentry.
package struct PassphraseQuestion: Hashable, Sendable {
    package enum Purpose: Hashable, Sendable {
        /// The passphrase of an existing store.
        case open
        /// A new passphrase for a store to be created or encrypted again.
        case choose
    }

    package let purpose: Purpose
    package let path: String
    /// Whether the previous passphrase was wrong.
    package let isRepeated: Bool

    package init(purpose: Purpose, path: String, isRepeated: Bool) {
        (self.purpose, self.path, self.isRepeated) = (purpose, path, isRepeated)
    }
}

/// The keys of `encrypted:` stores: from this process, else the kernel keyring, else unwrapped with the passphrase.
package final class StoreKeys: Sendable {
    package typealias Asking = @Sendable (PassphraseQuestion) throws(StoreError) -> Secret

    private struct KeyName: Hashable {
        let name: [UInt8]
        let path: String
    }

    private struct HeldKey {
        let key: SymmetricKey
        /// When the key was obtained.
        let mark: StoreLockMark
        /// Whether the kernel keyring had it, too.
        let isInKernel: Bool
    }

    private struct State {
        var keys: [KeyName: HeldKey] = [:]
        /// For stores that do not exist yet, by path.
        var prepared: [String: (SealedHeader, SymmetricKey)] = [:]
    }

    private static let mostTries = 3
    private let held = Mutex(State())
    private let usesKernel: Bool
    /// Whether a key that is not held may be unwrapped.
    private let unwraps: Bool
    private let cost: ScryptCost
    private let ask: Asking

    /// - Parameter ask: returns a passphrase; throws `passphraseNeeded` if no prompt is possible, `cancelled` if the
    ///   user cancels.
    package convenience init(ask: @escaping Asking = StoreKeys.nobody) {
        self.init(usesKernel: true, cost: .standard, ask: ask)
    }

    init(usesKernel: Bool, unwraps: Bool = true, cost: ScryptCost, ask: @escaping Asking) {
        (self.usesKernel, self.unwraps, self.cost, self.ask) = (usesKernel, unwraps, cost, ask)
    }

    /// Only keys in the kernel keyring: without a prompt, and without starting systemd-creds.
    package static var held: StoreKeys { StoreKeys(usesKernel: true, unwraps: false, cost: .standard, ask: nobody) }

    /// Never prompts: a store can only be read while its key is held.
    package static let nobody: Asking = { question throws(StoreError) in
        throw StoreError(.passphraseNeeded(why: "there is no terminal to ask at"), path: question.path)
    }

    /// The key for a header.
    ///
    /// - Throws: `passphraseNeeded`, `cancelled`, `wrongPassphrase` after three tries; `credentials` if systemd-creds
    ///   fails.
    func key(of header: SealedHeader, path: String) throws(StoreError) -> SymmetricKey {
        if let key = try own(header, path) { return key }
        // Before the key is obtained, so that a lock in between is noticed.
        let mark = try StoreLockMark(ofStore: path)
        if usesKernel, let key = KernelKeys.find(header.keyName) {
            hold(HeldKey(key: key, mark: mark, isInKernel: true), header, path)
            return key
        }
        guard unwraps else {
            throw StoreError(.passphraseNeeded(why: "its key is not in the kernel keyring"), path: path)
        }
        let key: SymmetricKey
        switch header.wrapping {
        case .passphrase: key = try opened(header, path)
        case .systemd: key = try SystemCredential.decrypt(header.wrapped, path: path)
        }
        try remember(key, of: header, path: path)
        return key
    }

    /// This process's key, unless the store was locked since: then it is dropped.
    private func own(_ header: SealedHeader, _ path: String) throws(StoreError) -> SymmetricKey? {
        let name = KeyName(name: header.keyName, path: path)
        guard let known = held.withLock({ $0.keys[name] }) else { return nil }
        var isLocked = true
        defer { if isLocked { held.withLock { $0.keys[name] = nil } } }
        guard try StoreLockMark(ofStore: path) == known.mark else { return nil }
        isLocked = known.isInKernel && KernelKeys.find(header.keyName) == nil
        return isLocked ? nil : known.key
    }

    private func hold(_ key: HeldKey, _ header: SealedHeader, _ path: String) {
        held.withLock { state in
            state.keys[KeyName(name: header.keyName, path: path)] = key
            for (path, prepared) in state.prepared where prepared.0.keyName == header.keyName {
                state.prepared[path] = nil
            }
        }
    }

    private func opened(_ header: SealedHeader, _ path: String) throws(StoreError) -> SymmetricKey {
        for attempt in 0..<Self.mostTries {
            let passphrase = try ask(PassphraseQuestion(purpose: .open, path: path, isRepeated: attempt > 0))
            if let key = header.unwrap(with: passphrase) { return key }
        }
        throw StoreError(.wrongPassphrase, path: path)
    }

    /// A new key and header for a store that does not exist yet; the same until the store is created.
    func new(path: String) throws(StoreError) -> (SealedHeader, SymmetricKey) {
        if let prepared = held.withLock({ $0.prepared[path] }) { return prepared }
        let made = try make(path: path)
        held.withLock { $0.prepared[path] = made }
        return made
    }

    /// Creates the key of a new store and wraps it with systemd-creds, without a passphrase.
    ///
    /// - Parameter path: the store's path.
    /// - Throws: `credentials` if systemd-creds fails.
    package func prepareWithSystemd(path: String) throws(StoreError) {
        let made = try make(path: path, withSystemd: true)
        held.withLock { $0.prepared[path] = made }
    }

    /// A new key, wrapped with a new passphrase or by systemd-creds.
    func make(path: String, withSystemd: Bool = false) throws(StoreError) -> (SealedHeader, SymmetricKey) {
        let key = SymmetricKey(size: .bits256)
        if withSystemd {
            let wrapped = try SystemCredential.encrypt(key, path: path)
            return (
                SealedHeader(
                    wrapping: .systemd, keyName: SealedHeader.random(16), salt: SealedHeader.random(32),
                    wrapped: wrapped), key
            )
        }
        let passphrase = try ask(PassphraseQuestion(purpose: .choose, path: path, isRepeated: false))
        guard !passphrase.isEmpty else {
            throw StoreError(.passphraseNeeded(why: "an empty passphrase protects nothing"), path: path)
        }
        return (try SealedHeader.wrapping(key, under: passphrase, cost: cost, path: path), key)
    }

    /// Keeps a key for this process, and in the kernel keyring for the user's other processes.
    func remember(_ key: SymmetricKey, of header: SealedHeader, path: String) throws(StoreError) {
        let mark = try StoreLockMark(ofStore: path)
        var isInKernel = false
        if usesKernel {
            if KernelKeys.find(header.keyName) == nil { KernelKeys.keep(key, name: header.keyName) }
            isInKernel = KernelKeys.find(header.keyName) != nil
        }
        hold(HeldKey(key: key, mark: mark, isInKernel: isInKernel), header, path)
        StoreLockMark.touch(ofStore: path)
    }

    /// Removes a key from this process and the kernel keyring.
    ///
    /// - Returns: whether it was held.
    @discardableResult
    func forget(_ header: SealedHeader, path: String) -> Bool {
        let name = KeyName(name: header.keyName, path: path)
        let wasHere = held.withLock { $0.keys.removeValue(forKey: name) != nil }
        let wasThere = usesKernel && KernelKeys.forget(header.keyName)
        return wasHere || wasThere
    }

    /// Removes a key here, and in every process that has opened the store.
    ///
    /// - Returns: whether it was held here or in the kernel.
    /// - Throws: if the mark cannot be written; here and in the kernel the key is removed.
    func lock(_ header: SealedHeader, path: String) throws(StoreError) -> Bool {
        // The kernel first, where a process looks that finds another mark.
        let wasHeld = forget(header, path: path)
        try StoreLockMark.renew(ofStore: path)
        return wasHeld
    }

    /// Whether the key is available without a prompt.
    func isHeld(_ header: SealedHeader, path: String) throws(StoreError) -> Bool {
        if try own(header, path) != nil { return true }
        return usesKernel && KernelKeys.find(header.keyName) != nil
    }
}
