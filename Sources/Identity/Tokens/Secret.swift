/// A string that must not be shown: printing, describing or mirroring it only reveals its length.
///
/// Memory is not wiped, because Swift copies strings freely. Instead, the programs disable core dumps and tracing.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Wraps a string, which may be empty.
    public init(_ text: String) { self.text = text }

    /// The string itself. Every call can leak it: only requests, the store and an explicit user request need it.
    public func reveal() -> String { text }

    package var count: Int { text.utf8.count }
    /// Whether the string is empty.
    public var isEmpty: Bool { text.isEmpty }
    /// The length, never the string.
    public var description: String { "<secret of \(count) bytes>" }
    /// The length, never the string.
    public var debugDescription: String { description }
    /// No children, so `dump` and interpolation reveal nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Compares in a time that only depends on the lengths.
    package func isEqual(constantTime other: Secret) -> Bool {
        let left = Array(text.utf8)
        let right = Array(other.text.utf8)
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
