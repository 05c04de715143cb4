/// foyer's interface on a made store.
enum Interface {
    /// Accounts that fit into a terminal of 24 lines, with some to spare for what stands around them.
    static let rows = 15

    static func open(_ store: String, _ scratch: Scratch) -> Session? {
        Session(Command([Programs.foyer, "--store", store], scratch.environment))
    }
}
