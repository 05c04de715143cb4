/// A feature that opens from anywhere by its own key; one that is open already comes up as it is.
package protocol Page: Feature {
    static var binding: KeyBinding { get }
    /// The page as it opens, and what is asked for at once.
    static func opened(in context: Context) -> (Self, [Action])
}
