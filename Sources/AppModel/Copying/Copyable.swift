package import Identity

/// Something of a page that can be put on the clipboard. Each feature says what there is of its own; the first is what
/// is wanted most.
package struct Copyable {
    package enum Content: Equatable, Sendable {
        /// Never a token.
        case text(String)
        /// A token, which is cleared from the clipboard again.
        case secret(Secret)
    }

    package let name: String
    /// Made when it is taken: which keys are offered is asked for each drawing.
    private let make: () -> Content

    init(_ name: String, _ text: @escaping @autoclosure () -> String) {
        self.name = name
        make = { .text(text()) }
    }

    init(_ name: String, secret: Secret) {
        self.name = name
        make = { .secret(secret) }
    }

    /// Nil where there is nothing of it.
    static func some(_ name: String, _ text: String?) -> [Copyable] {
        guard let text, !text.isEmpty else { return [] }
        return [Copyable(name, text)]
    }

    package func content() -> Content { make() }
}
