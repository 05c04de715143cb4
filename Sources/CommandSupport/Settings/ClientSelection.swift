/// Clients that a setting is for.
package enum ClientSelection: Equatable, Sendable {
    case never, always
    /// These, by name or identifier.
    case clients([String])

    /// For a column of a table.
    package var words: String {
        switch self {
        case .never: "no: switched off"
        case .always: "yes"
        case .clients(let names): "for " + names.joined(separator: ", ")
        }
    }
}
