/// A feature that opens from anywhere by its own key, at most once.
package protocol Page: Feature {
    static var binding: KeyBinding { get }
    /// The new page and its first actions.
    static func opened(in context: Context) -> (Self, [Action])
}
