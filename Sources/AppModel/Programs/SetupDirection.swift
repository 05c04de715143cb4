/// What is done with a program's connection.
package enum SetupDirection: Sendable {
    case setUp, takeBack

    var verb: String { self == .setUp ? "set up" : "take back" }
}
