package import Identity
import Synchronization

/// A token store of a library's user, with the state that a file has next to it:
/// requests not to repeat, and running refreshes.
package final class AttachedStore: Sendable {
    private struct State {
        var throttled: [ThrottleEntry] = []
        var refreshing: Set<String> = []
    }

    private final class WeakReference: Sendable {
        weak let store: AttachedStore?
        init(_ store: AttachedStore) { self.store = store }
    }

    /// By the identity of the store, which lives as long as its entry.
    private static let attached = Mutex<[ObjectIdentifier: WeakReference]>([:])

    private let store: any TokenStore
    private let state = Mutex(State())
    let name: String
    /// Identifies the store in this process; no path contains it.
    let key: String

    /// The one instance of a store.
    package static func of(_ store: any TokenStore) -> AttachedStore {
        attached.withLock { attached in
            if let known = attached[ObjectIdentifier(store)]?.store { return known }
            attached = attached.filter { $0.value.store != nil }
            let new = AttachedStore(store)
            attached[ObjectIdentifier(store)] = WeakReference(new)
            return new
        }
    }

    private init(_ store: any TokenStore) {
        self.store = store
        name = OAuthError.clean(store.name, limit: 200)
        key = "\0\(UInt(bitPattern: ObjectIdentifier(store)))"
    }

    func read(_ part: TokenStorePart) throws(StoreError) -> [UInt8]? {
        let bytes: [UInt8]?
        do throws(TokenStoreProblem) { bytes = try store.read(part) } catch { throw StoreError(error, path: name) }
        guard let bytes, bytes.count > StoreSize.limit else { return bytes }
        throw StoreError(.tooLarge(bytes: bytes.count), path: name)
    }

    func write(_ bytes: [UInt8], _ part: TokenStorePart) throws(StoreError) {
        do throws(TokenStoreProblem) { try store.write(bytes, part) } catch { throw StoreError(error, path: name) }
    }

    func holding<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        var result: Result<Value, StoreError>?
        do throws(TokenStoreProblem) {
            try store.withExclusiveAccess {
                // Once: a store that repeats it must not save twice.
                guard result == nil else { return }
                do throws(StoreError) { result = .success(try body()) } catch { result = .failure(error) }
            }
        } catch { throw StoreError(error, path: name) }
        guard let result else {
            throw StoreError(TokenStoreProblem("the store gave no access, and no reason"), path: name)
        }
        return try result.get()
    }

    func throttled() -> [ThrottleEntry] { state.withLock { $0.throttled } }

    func changeThrottled(_ body: (inout [ThrottleEntry]) -> Void) { state.withLock { body(&$0.throttled) } }

    /// - Returns: whether no other call refreshes with this key.
    func beginRefresh(_ key: String) -> Bool { state.withLock { $0.refreshing.insert(key).inserted } }

    func endRefresh(_ key: String) { state.withLock { _ = $0.refreshing.remove(key) } }
}

extension StoreError {
    fileprivate init(_ problem: TokenStoreProblem, path: String) {
        self.init(
            .attached(why: OAuthError.clean(problem.message, limit: 200), mayPass: problem.isTemporary), path: path)
    }
}
