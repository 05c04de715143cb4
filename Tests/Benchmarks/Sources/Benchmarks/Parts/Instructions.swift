/// Counts of instructions: a cached token, the first screen, a key.
enum Instructions {
    /// How many keys one count is spread over.
    private static let keys = 10

    static func measure(_ bench: Bench, into report: inout Report) {
        guard let callgrind = Callgrind(bench.scratch) else {
            return report.leaveOut("instructions", "as valgrind is not installed")
        }
        let foyer = stripped(Programs.foyer, bench.scratch)
        let whole = stripped(Programs.whole, bench.scratch)
        let small = Stores.make(bench.scratch, "counted.json", accounts: 1, tokensEach: 1, length: .full)
        let hit = [foyer] + Stores.hit(small, bench.scratch).words.dropFirst()
        report.add(
            "instructions.hit", "foyer token, cached, instructions", instructions: callgrind.count(hit).map { [$0] })
        let twenty = Stores.make(bench.scratch, "counted20.json", accounts: 20, tokensEach: 3, length: .full)
        guard let handOver = handOver(callgrind, [foyer, "--store", twenty]),
            let (frame, key) = interface(callgrind, [whole, "--store", twenty])
        else {
            return report.leaveOut("instructions of the first screen and a key", "as vgdb did not reach the program")
        }
        report.add(
            "instructions.frame", "foyer, first screen of 20 accounts, instructions", instructions: [handOver + frame])
        report.add("instructions.key", "foyer, key in 20 accounts, instructions", instructions: [key])
    }

    /// foyer until it becomes foyer-main, which then runs uncounted.
    private static func handOver(_ callgrind: Callgrind, _ words: [String]) -> Double? {
        guard let session = Session(callgrind.command(words, arguments: ["--dump-before=execv*"])) else { return nil }
        defer { session.end() }
        guard session.firstScreen(Stores.word, times: Interface.rows, silence: .long, limit: 60) != nil else {
            return nil
        }
        return callgrind.total(of: session.process)
    }

    /// From the start to the first screen without what comes after, and a key as a tenth of ten.
    private static func interface(_ callgrind: Callgrind, _ words: [String]) -> (frame: Double, key: Double)? {
        guard let session = Session(callgrind.command(words)) else { return nil }
        defer { session.end() }
        guard session.firstScreen(Stores.word, times: Interface.rows, silence: .long, limit: 60) != nil,
            let frame = callgrind.dump(session.process)
        else { return nil }
        for index in 0..<keys {
            guard session.time(index % 2 == 0 ? "j" : "k", silence: .long) != nil else { return nil }
        }
        return callgrind.dump(session.process).map { (frame, $0 / Double(keys)) }
    }

    /// A copy without debug information, which Valgrind would take longer to read than the program runs.
    private static func stripped(_ program: String, _ scratch: Scratch) -> String {
        let copy = scratch.folder("stripped") + "/" + Programs.name(program)
        guard let strip = Programs.onPath("strip"),
            Child.succeeds(Command([strip, "-g", "-o", copy, program], scratch.environment))
        else { return program }
        return copy
    }
}
