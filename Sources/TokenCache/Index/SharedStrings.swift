/// Keeps one copy of equal strings, of which a store has many.
package struct SharedStrings {
    private var known: [String: String] = [:]

    package init() {}

    package mutating func copy(of text: String) -> String {
        if let known = known[text] { return known }
        known[text] = text
        return text
    }
}
