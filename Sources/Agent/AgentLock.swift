import CommandSupport
import Identity
import StrictJSON
import TokenCache

/// Controls whether the agent gives tokens. Locking also removes the keys of its encrypted stores, here and in the
/// kernel; their passphrase unlocks it. Without an encrypted store, any process of the same user can unlock it.
actor AgentLock {
    private(set) var isLocked = false
    /// Encrypted stores; the passphrase of any of them unlocks.
    private(set) var stores: [String] = []

    /// The last token request, start or unlock, by the clock that counts sleep.
    private(set) var lastUse = BootClock.now

    func used() { lastUse = BootClock.now }

    /// - Parameter specs: the stores to lock, in ``StoreSpec`` notation; only encrypted ones are locked.
    func lock(_ specs: [String]) async {
        let locked = await BlockingExecutor.run { specs.filter(Self.takeKey) }
        stores = Array(Set(stores + locked)).sorted()
        isLocked = true
    }

    /// Forgets the key. Returns whether a passphrase opens the store.
    private static func takeKey(_ spec: String) -> Bool {
        let cache = TokenCache(naming: spec)
        guard case .encrypted? = cache.spec, let status = try? cache.status(), status.isThere, status.hasPassphrase
        else { return false }
        _ = try? cache.lockAgain()
        return true
    }

    private func open() { (isLocked, stores, lastUse) = (false, [], BootClock.now) }

    /// - Throws: `storeError` if the passphrase is missing or wrong.
    func unlock(_ passphrase: Secret?) async throws(Failure) {
        let left = stores.filter { (try? TokenCache(naming: $0).status().isThere) ?? false }
        guard !left.isEmpty else {
            open()
            return
        }
        guard let passphrase else {
            throw Failure(.storeError, "unlocking the agent requires the passphrase of \(left[0])")
        }
        let opened = await BlockingExecutor.run {
            // A store that cannot be read is not opened.
            left.first { (try? TokenCache(naming: $0).unlock(with: passphrase)) ?? false }
        }
        guard opened != nil else { throw Failure(.storeError, "wrong passphrase") }
        open()
    }

    /// - Throws: ``failure`` while locked, after an event that marks it as the user's decision.
    func check(_ onEvent: (JSONValue) async -> Void) async throws(Failure) {
        guard isLocked else { return }
        await onEvent(["event": .string(AgentProtocol.refusal)])
        throw Self.failure
    }

    static let failure = Failure(.interactionRequired, "the agent is locked", hint: "run \"foyer agent unlock\"")
}
