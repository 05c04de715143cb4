import Synchronization

/// A place for the tokens of a client, in place of a file: a database, a vault, memory.
///
/// The content of each part is one text in MSAL's unified cache format, or of the library's own. It contains secrets,
/// and must only come back as it was written. Calls come from any thread and may block.
///
/// Each instance has its own order of refreshes, its own times to wait and its own unsaved tokens: in a process, use
/// one instance per place. Unlike with a file, two processes
/// can refresh the same token simultaneously.
public protocol TokenStore: AnyObject, Sendable {
    /// A name for messages, without secrets; at most 200 bytes are shown.
    var name: String { get }

    /// The whole content of a part; nil if there is none.
    ///
    /// - Throws: ``TokenStoreProblem``; the call that needs the store then fails with `storeError`.
    func read(_ part: TokenStorePart) throws(TokenStoreProblem) -> [UInt8]?

    /// Replaces the content of a part, whole or not at all. Called within ``withExclusiveAccess(_:)``.
    ///
    /// - Throws: ``TokenStoreProblem``; nothing has changed then.
    func write(_ content: [UInt8], _ part: TokenStorePart) throws(TokenStoreProblem)

    /// Runs a body once, which reads and writes, while nothing else writes, in this process or another.
    ///
    /// - Throws: ``TokenStoreProblem`` if access is not given in time, or if the written content may not be kept: the
    ///   library then writes it again.
    func withExclusiveAccess(_ body: () -> Void) throws(TokenStoreProblem)
}

/// The parts of a token store, which are written on their own.
public enum TokenStorePart: String, CaseIterable, Hashable, Sendable {
    /// Accounts and tokens, as MSAL writes them.
    case cache
    /// The private keys that tokens are bound to.
    case proofKeys
    /// The client secrets that are kept.
    case clientSecrets
}

/// The reason that a token store could not be read or written.
public struct TokenStoreProblem: Error, Hashable, Sendable {
    /// Lower case, no full stop, no secret; at most 200 bytes are shown.
    public var message: String
    /// Whether the same call can succeed a moment later, so that saving is tried again for a minute.
    public var isTemporary: Bool

    /// - Parameters:
    ///   - message: lower case, no full stop, no secret.
    ///   - isTemporary: whether the same call can succeed a moment later.
    public init(_ message: String, isTemporary: Bool = false) {
        (self.message, self.isTemporary) = (message, isTemporary)
    }
}

/// A token store in memory, which ends with its last user: for tests, and for processes that must not write files.
public final class InMemoryTokenStore: TokenStore {
    private let turn = Mutex(())
    private let parts = Mutex<[TokenStorePart: [UInt8]]>([:])

    /// Creates an empty store.
    public init() {}

    /// A fixed text.
    public var name: String { "the store in memory" }

    /// The content of a part; nil if there is none.
    public func read(_ part: TokenStorePart) -> [UInt8]? { parts.withLock { $0[part] } }

    /// Replaces the content of a part.
    public func write(_ content: [UInt8], _ part: TokenStorePart) { parts.withLock { $0[part] = content } }

    /// Runs a body while no other one runs.
    public func withExclusiveAccess(_ body: () -> Void) { turn.withLock { _ in body() } }
}
