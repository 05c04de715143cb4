package enum SetupDirection: Sendable {
    case setUp, undo

    var verb: String { self == .setUp ? "set up" : "undo" }
}
