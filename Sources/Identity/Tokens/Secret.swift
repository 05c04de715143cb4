/// A text that must not be shown: printing it, describing it or mirroring it gives its length only.
///
/// Memory is not promised to be wiped: Swift strings are copied freely. The programs refuse core dumps and tracing
/// instead.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Takes any text, also an empty one.
    public init(_ text: String) { self.text = text }

    /// The text itself. Every call is a place where a secret can escape: only requests, the store and an explicit wish
    /// of the person need it.
    public func reveal() -> String { text }

    /// Bytes of UTF-8.
    package var count: Int { text.utf8.count }
    /// Whether there is nothing to hide.
    public var isEmpty: Bool { text.isEmpty }
    /// The length, never the text.
    public var description: String { "<secret of \(count) bytes>" }
    /// The length, never the text.
    public var debugDescription: String { description }
    /// No children: `dump` and interpolation find nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether both are the same, in a time that depends on their lengths only.
    package func isEqual(constantTime other: Secret) -> Bool {
        let left = Array(text.utf8)
        let right = Array(other.text.utf8)
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
