import CommandSupport
package import StrictJSON

package struct ProgramState: Hashable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        case setUp, half, notSetUp
        /// Another program of the same name comes first on `PATH`.
        case overshadowed

        package var words: String {
            switch self {
            case .setUp: "set up"
            case .half: "partly set up"
            case .notSetUp: "not set up"
            case .overshadowed: "overshadowed"
            }
        }
    }

    package var name: String
    package var state: State
    /// The existing setup, or the missing parts; can be empty.
    package var detail: String

    package var json: JSONValue {
        JSONValue(("name", name.json), ("state", state.rawValue.json), ("detail", detail.json))
    }
}
