/// Who this program is to others.
enum Product {
    /// Told to providers with each request, and written as the label of keyring items.
    static let name = "foyer"
}
