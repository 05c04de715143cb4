/// The clients that a setting applies to.
package enum ClientSelection: Equatable, Sendable {
    case never, always
    /// By name or client ID.
    case clients([String])

    package var words: String {
        switch self {
        case .never: "no"
        case .always: "yes"
        case .clients(let names): "for " + names.joined(separator: ", ")
        }
    }
}
