/// The interface with ten thousand accounts in 59 MB: the first screen, keys, and memory after them.
enum TenThousand {
    /// From each session the slowest key of a kind, and all of its keys, in seconds.
    private struct Keys {
        var slowest: [Double] = []
        var all: [Double] = []

        mutating func add(_ times: [Double]) {
            slowest += [times.max()].compactMap { $0 }
            all += times
        }
    }

    static func measure(_ bench: Bench, store: String, into report: inout Report) {
        var frames: [Double] = []
        var (reading, moving, filtering, reloading) = (Keys(), Keys(), Keys(), Keys())
        var peaks: [Double] = []
        for _ in 0..<bench.options.runs(6) {
            guard let session = Interface.open(store, bench.scratch) else { continue }
            if let frame = session.firstScreen(Stores.word, times: Interface.rows, silence: .short) {
                frames.append(frame)
            }
            let keys = ["j", "k", "\u{6}", "\u{6}", "\u{2}", "G", "g", "G", "k", "g"]
            reading.add(times(keys, session))
            session.settle(400)
            moving.add(times(keys, session))
            session.press("/")
            session.settle()
            for word in ["person99", "9999 contoso", "bbbb", "zzz"] {
                filtering.add(times(word.map(String.init) + word.map { _ in "\u{7F}" }, session))
            }
            session.press("\u{1B}")
            session.settle(400)
            replace(store, bench.scratch)
            reloading.add(times((0..<60).map { $0 % 2 == 0 ? "j" : "k" }, session))
            session.settle(400)
            if let peak = Memory.peak(of: session.process) { peaks.append(peak) }
            session.end()
        }
        report.add("large.frame", "10,000 accounts, first screen", seconds: frames)
        for (id, name, keys) in [
            ("large.key.reading", "while the store is read", reading),
            ("large.key", "that moves the selection", moving),
            ("large.key.filter", "while filtering", filtering), ("large.key.reload", "during a reload", reloading),
        ] {
            report.add(id, "10,000 accounts, slowest key \(name)", seconds: keys.slowest)
            report.add(id + ".all", "10,000 accounts, key \(name)", seconds: keys.all)
        }
        report.add("large.memory", "10,000 accounts, peak of memory after the keys", bytes: peaks)
    }

    private static func times(_ keys: [String], _ session: Session) -> [Double] {
        keys.compactMap { session.time($0, silence: .short) }
    }

    /// As another program writes a store: whole, under another name, and then in the place of the old one.
    private static func replace(_ store: String, _ scratch: Scratch) {
        let copy = store + ".new"
        _ = Child.run(Command(["/bin/cp", "-p", store, copy], scratch.environment))
        _ = Child.run(Command(["/bin/mv", copy, store], scratch.environment))
    }
}
