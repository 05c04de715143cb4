package import Identity
import Keys

/// Granted, declined and requested scopes of each client for an account; others can be selected and requested.
package struct ScopeConsent: Equatable, Sendable {
    package struct Choice: Hashable, Sendable {
        let clientID: String
        let realm: String
        let scope: String
    }

    /// The last request, kept to compare its result.
    package struct Asked: Equatable, Sendable {
        let clientID: String
        let realm: String
        let wanted: ScopeSet
        /// The scopes of the client's tokens before the request.
        let before: ScopeSet
    }

    package struct Comparison: Equatable, Sendable {
        let base: String
        let other: String
    }

    package let account: AccountOverview.ID
    package var scroll = 0
    /// Index among the choices, in the order of the page.
    var selected = 0
    /// The scope under the cursor on the last frame.
    var held: Choice?
    /// The selected scopes, all of one client in one tenant, because one sign-in serves no more than that.
    package internal(set) var chosen: Set<Choice> = []
    private(set) var typed: [Choice] = []
    var showsMore = false
    var comparison: Comparison?
    var asked: Asked?
    var review: ConsentReview?
    /// Shows only permissions with this text in their names or meanings.
    private(set) var filter = TextField()
    private(set) var isFiltering = false
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

    mutating func startTyping() { prompt = TextPrompt("scopes", hint: "scopes to request, separated by spaces") }
    mutating func startFilter() {
        isFiltering = true
        prompt = TextPrompt("filter", hint: "part of a name or description", isAnswer: false, text: filter.text)
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

    /// - Returns: whether the filter has changed.
    mutating func type(_ key: Key) -> Bool {
        prompt?.field.handle(key)
        guard isFiltering, let field = prompt?.field, field.text != filter.text else { return false }
        filter = field
        // The selected row may be hidden now.
        selected = 0
        scroll = 0
        return true
    }
}
