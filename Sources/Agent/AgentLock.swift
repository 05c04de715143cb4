import CommandSupport
import Identity
import SilentFirst
import StrictJSON
import TokenCache
import Wire

/// Whether the agent gives tokens. A lock also takes the keys of the encrypted stores that it serves, here and in the
/// kernel, and their passphrase opens it. Where no store is encrypted it keeps nobody out who runs as the same user,
/// and says so.
actor AgentLock {
    private(set) var isLocked = false
    /// The encrypted stores whose passphrase unlocks.
    private(set) var stores: [String] = []

    /// When somebody wanted a token last, or the agent was started or unlocked, by the clock that counts sleep.
    private(set) var lastUse = BootClock.now

    func used() { lastUse = BootClock.now }

    /// - Parameter specs: the stores to lock, as ``StoreSpec`` writes them; others than encrypted ones are passed over.
    func lock(_ specs: [String]) async {
        let locked = await BlockingExecutor.run { specs.filter(Self.takeKey) }
        stores = Array(Set(stores + locked)).sorted()
        isLocked = true
    }

    /// Forgets the key; whether a passphrase opens the store.
    private static func takeKey(_ spec: String) -> Bool {
        let cache = TokenCache(naming: spec)
        guard case .encrypted? = cache.spec, let status = try? cache.status(), status.isThere, status.hasPassphrase
        else { return false }
        _ = try? cache.lockAgain()
        return true
    }

    private func open() { (isLocked, stores, lastUse) = (false, [], BootClock.now) }

    /// - Throws: `storeError` when a passphrase is needed, or it is another one.
    func unlock(_ passphrase: Secret?) async throws(Failure) {
        let left = stores.filter { (try? TokenCache(naming: $0).status().isThere) ?? false }
        guard !left.isEmpty else {
            open()
            return
        }
        guard let passphrase else {
            throw Failure(.storeError, "the passphrase of \(left[0]) is needed to unlock the agent")
        }
        let opened = await BlockingExecutor.run {
            // A store that cannot be read is not opened.
            left.first { (try? TokenCache(naming: $0).unlock(with: passphrase)) ?? false }
        }
        guard opened != nil else { throw Failure(.storeError, "wrong passphrase") }
        open()
    }

    /// - Throws: ``failure`` while it is locked; the asker is told before that it is the person's will.
    func check(_ onEvent: (JSONValue) async -> Void) async throws(Failure) {
        guard isLocked else { return }
        await onEvent(["event": .string(AgentProtocol.refusal)])
        throw Self.failure
    }

    static let failure = Failure(.interactionRequired, "the agent is locked", hint: "run \"foyer agent unlock\"")
}
