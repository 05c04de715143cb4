package import Identity

/// Something on a page that can be copied to the clipboard. Each feature lists its own, most useful first.
package struct Copyable {
    package enum Content: Equatable, Sendable {
        /// Never a token.
        case text(String)
        /// A token, which is cleared from the clipboard later.
        case secret(Secret)
    }

    package let name: String
    /// Nil if there is nothing. Evaluated only when copied, because each drawing checks which keys are offered.
    package let content: () -> Content?

    /// - Parameter text: nil or empty if there is nothing.
    init(_ name: String, _ text: @escaping @autoclosure () -> String?) {
        (self.name, content) = (name, { text().flatMap { $0.isEmpty ? nil : .text($0) } })
    }

    init(_ name: String, secret: Secret) {
        (self.name, content) = (name, { .secret(secret) })
    }
}
