package import Identity
import Keys

/// What each client was granted, was refused and wants for an account; some of it can be chosen and asked for.
package struct ScopeConsent: Equatable, Sendable {
    /// A scope as one client has or wants it.
    package struct Choice: Hashable, Sendable {
        let clientID: String
        let realm: String
        let scope: String
    }

    /// What was asked for last, to tell what came of it.
    package struct Asked: Equatable, Sendable {
        let clientID: String
        let realm: String
        let wanted: ScopeSet
        /// What the client's tokens had before.
        let before: ScopeSet
    }

    package struct Comparison: Equatable, Sendable {
        let base: String
        let other: String
    }

    package let account: AccountOverview.ID
    package var scroll = 0
    /// Among the choices, in the order of the screen.
    var selected = 0
    /// What will be asked for: always of one client in one tenant, as one sign-in serves no more.
    package private(set) var chosen: Set<Choice> = []
    /// What was typed by hand.
    private(set) var typed: [Choice] = []
    /// Whether what nobody asked for yet is offered, too.
    var showsMore = false
    var comparison: Comparison?
    var asked: Asked?
    /// What is read back before it is asked for.
    var review: ConsentReview?
    /// Only permissions with this text in their names or meanings are shown.
    private(set) var filter = TextField()
    private(set) var isFiltering = false
    /// The line that is being typed.
    package private(set) var prompt: TextPrompt?

    package init(account: AccountOverview.ID) { self.account = account }

    /// - Returns: whether the selection of another client was cleared.
    mutating func toggle(_ choice: Choice) -> Bool {
        if chosen.remove(choice) != nil { return false }
        let others = chosen.filter { $0.clientID != choice.clientID || $0.realm != choice.realm }
        chosen.subtract(others)
        chosen.insert(choice)
        return !others.isEmpty
    }

    mutating func add(_ scopes: ScopeSet, clientID: String, realm: String) {
        for name in scopes.names {
            let choice = Choice(clientID: clientID, realm: realm, scope: name)
            if !typed.contains(choice), typed.count < 100 { typed.append(choice) }
            if !chosen.contains(choice) { _ = toggle(choice) }
        }
    }

    mutating func forgetChoices() { chosen = [] }

    mutating func startTyping() { prompt = TextPrompt("scopes", hint: "scopes to request, separated by spaces") }
    mutating func startFilter() {
        isFiltering = true
        prompt = TextPrompt("filter", hint: "a part of a name or of its meaning", text: filter.text)
    }

    mutating func stopTyping() {
        prompt = nil
        isFiltering = false
    }

    mutating func clearFilter() {
        filter = TextField()
        selected = 0
        scroll = 0
    }

    /// - Returns: whether the filter is another one now.
    mutating func type(_ key: Key) -> Bool {
        prompt?.field.handle(key)
        guard isFiltering, let field = prompt?.field, field.text != filter.text else { return false }
        filter = field
        // What was marked may be hidden now.
        selected = 0
        scroll = 0
        return true
    }
}
