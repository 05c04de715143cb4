import Glibc
import Identity
import Synchronization
import Testing

@testable import TokenCache

/// A store of somebody else, which fails when told to.
private final class OtherStore: TokenStore {
    struct State {
        var parts: [TokenStorePart: [UInt8]] = [:]
        var problem: TokenStoreProblem?
        var failsToWrite = false
        var givesNoAccess = false
        var repeats = false
        var failsInTheEnd = false
    }

    let state = Mutex(State())
    private let turn = Mutex(())
    var name: String { "the other\n store" }

    func read(_ part: TokenStorePart) throws(TokenStoreProblem) -> [UInt8]? {
        let (bytes, problem) = state.withLock { ($0.parts[part], $0.failsToWrite ? nil : $0.problem) }
        if let problem { throw problem }
        return bytes
    }

    func write(_ content: [UInt8], _ part: TokenStorePart) throws(TokenStoreProblem) {
        if let problem = state.withLock({ $0.problem }) { throw problem }
        state.withLock { $0.parts[part] = content }
    }

    func withExclusiveAccess(_ body: () -> Void) throws(TokenStoreProblem) {
        let state = state.withLock { $0 }
        if state.givesNoAccess { return }
        turn.withLock { _ in
            body()
            if state.repeats { body() }
        }
        if state.failsInTheEnd {
            self.state.withLock { $0.parts = state.parts }
            throw TokenStoreProblem("the transaction was rolled back")
        }
    }
}

@Suite struct AttachedStoreTests {
    @Test func `What is saved is read back, by each handle, in MSAL's format`() throws {
        let store = InMemoryTokenStore()
        let cache = TokenCache(attaching: store)
        #expect(try cache.read().accounts().isEmpty)
        try cache.save(World.record())
        #expect(try TokenCache(attaching: store).read().accounts().count == 1)
        let text = try #require(store.read(.cache))
        #expect(try CacheSnapshot(text, path: "").credentials().count == 3)
        let account = try #require(try cache.read().accounts().first)
        #expect(try cache.remove(account.id, clientID: nil).count > 0)
        #expect(try cache.read().accounts().isEmpty)
    }

    @Test func `Keys and secrets have parts of their own`() throws {
        let store = InMemoryTokenStore()
        let cache = TokenCache(attaching: store)
        let secrets = ClientSecretStore(cache)
        let owner = ClientSecretOwner(issuer: "https://issuer.example", clientID: "client")
        try secrets.set(Secret("FAKE-secret"), of: owner)
        #expect(try secrets.secret(of: owner) == Secret("FAKE-secret"))
        #expect(store.read(.cache) == nil && store.read(.clientSecrets) != nil)
    }

    @Test func `A problem of the store is told with its name, and nothing changes`() throws {
        let store = OtherStore()
        let cache = TokenCache(attaching: store, patience: .zero)
        try cache.save(World.record())
        let before = store.state.withLock { $0.parts }
        store.state.withLock { ($0.problem, $0.failsToWrite) = (TokenStoreProblem("no\u{1B}[31m connection"), true) }
        let error = #expect(throws: StoreError.self) { try cache.save(World.record(access: "FAKE-new")) }
        #expect(error?.message == "the other store: no[31m connection")
        store.state.withLock { $0.failsToWrite = false }
        #expect(throws: StoreError.self) { try cache.read() }
        store.state.withLock { ($0.problem, $0.givesNoAccess) = (nil, true) }
        #expect(throws: StoreError.self) { try cache.save(World.record(access: "FAKE-new")) }
        #expect(store.state.withLock { $0.parts } == before)
        // A store that runs the body twice still saves once.
        store.state.withLock { ($0.givesNoAccess, $0.repeats) = (false, true) }
        try cache.save(World.record(access: "FAKE-new"))
        #expect(try cache.read().accounts().count == 1)
    }

    @Test func `What a store takes and then gives up is not counted as saved`() throws {
        let store = OtherStore()
        let cache = TokenCache(attaching: store, patience: .zero)
        store.state.withLock { $0.failsInTheEnd = true }
        let error = #expect(throws: StoreError.self) { try cache.save(World.record()) }
        #expect(error?.message.contains("rolled back") == true)
        store.state.withLock { $0.failsInTheEnd = false }
        #expect(try cache.read().accounts().isEmpty)
        try cache.save(World.record())
        #expect(try cache.read().accounts().count == 1)
    }

    @Test func `Content that is no cache is refused and stays`() throws {
        let store = InMemoryTokenStore()
        store.write(Array("[1]".utf8), .cache)
        let cache = TokenCache(attaching: store)
        #expect(throws: StoreError.self) { try cache.save(World.record()) }
        #expect(store.read(.cache) == Array("[1]".utf8))
    }

    @Test func `Refreshes of one key wait for each other, in one store alone`() async throws {
        let (store, other) = (InMemoryTokenStore(), InMemoryTokenStore())
        let cache = TokenCache(attaching: store)
        let lock = try await RefreshLock.acquire(cache, key: "a", timeout: .zero)
        #expect(try !RefreshLock(TokenCache(attaching: store), key: "a").attempt(.exclusive))
        #expect(try RefreshLock(cache, key: "b").attempt(.exclusive))
        #expect(try RefreshLock(TokenCache(attaching: other), key: "a").attempt(.exclusive))
        lock.release()
        lock.release()
        let next = try RefreshLock(cache, key: "a")
        #expect(try next.attempt(.exclusive) && next.attempt(.exclusive))
    }

    @Test func `Unsaved tokens belong to their store alone`() throws {
        let (store, other) = (OtherStore(), OtherStore())
        let (cache, stranger) = (TokenCache(attaching: store), TokenCache(attaching: other))
        store.state.withLock { ($0.problem, $0.failsToWrite) = (TokenStoreProblem("busy", isTemporary: true), true) }
        cache.keepUnsaved(World.record())
        #expect(try cache.read().accounts().count == 1)
        #expect(try stranger.read().accounts().isEmpty)
        store.state.withLock { ($0.problem, $0.failsInTheEnd) = (nil, true) }
        #expect(throws: StoreError.self) { try cache.save(World.record(home: "user-2.tenant")) }
        #expect(try cache.read().accounts().count == 1)
        store.state.withLock { $0.failsInTheEnd = false }
        try cache.save(World.record(home: "user-2.tenant"))
        #expect(try cache.read().accounts().count == 2)
    }
}
