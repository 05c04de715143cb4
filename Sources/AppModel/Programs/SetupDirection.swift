package enum SetupDirection: Sendable {
    case setUp, takeBack

    var verb: String { self == .setUp ? "set up" : "undo" }
}
