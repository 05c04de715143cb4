/// A store on this machine, for the page of stores.
package struct StoreLine: Equatable, Sendable {
    /// The result of reading it.
    package enum State: String, Sendable {
        case usable, empty, absent = "not there", protected, refused
    }

    /// The name for options and settings; `foyer` for foyer's own.
    package var name: String
    package var program = ""
    package var place = ""
    package var state = State.absent
    /// Why it is not usable, how to fix that, and other information; one line each.
    package var findings: [String] = []
    /// Its protection, such as `plain file`; nil unless it is usable.
    package var badge: String?
    package var accounts = 0
    package var tokens = 0
    package var isWritable = false
    package var isHidden = false

    package var isOwn: Bool { name == "foyer" }
}

extension StoreLine { package init(_ name: String) { self.init(name: name) } }

/// A change of another program's store's settings.
package enum StoreChange: Equatable, Sendable {
    case write(Bool)
    case hidden(Bool)
}
