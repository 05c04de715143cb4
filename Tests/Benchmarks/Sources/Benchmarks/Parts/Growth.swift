/// How cost grows with the number of accounts.
enum Growth {
    struct Store {
        let path: String
        let accounts: Int
    }

    /// What is measured of each store, named as in a table's heading.
    private enum Column: String, CaseIterable {
        case size = "store"
        case hit = "foyer token"
        case frame = "first screen"
        case memory = "memory"

        func id(_ accounts: Int) -> String { Growth.id + "\(self).\(accounts)" }
    }

    /// How the figures' names for programs begin.
    static let id = "large.growth."
    static let accounts = [10, 100, 1000, 10_000]

    static func measure(_ bench: Bench, _ stores: [Store], into report: inout Report) {
        let hits = Turns.time(stores.map { Stores.hit($0.path, bench.scratch) }, rounds: bench.options.runs(25))
        var frames: [[Double]] = stores.map { _ in [] }
        var peaks: [[Double]] = stores.map { _ in [] }
        for _ in 0..<bench.options.runs(6) {
            for (index, store) in stores.enumerated() {
                guard let session = Interface.open(store.path, bench.scratch) else { continue }
                let rows = min(store.accounts, Interface.rows)
                if let frame = session.firstScreen(Stores.word, times: rows, silence: .short) {
                    frames[index].append(frame)
                }
                // What is read in the background belongs to the peak.
                session.settle(400)
                if let peak = Memory.peak(of: session.process) { peaks[index].append(peak) }
                session.end()
            }
        }
        for (index, store) in stores.enumerated() {
            func id(_ column: Column) -> String { column.id(store.accounts) }
            func name(_ column: Column) -> String { "\(store.accounts) accounts, \(column.rawValue)" }
            report.add(id(.size), name(.size), bytes: [Double(Files.size(store.path))])
            report.add(id(.hit), name(.hit), seconds: hits[index])
            report.add(id(.frame), name(.frame), seconds: frames[index])
            report.add(id(.memory), name(.memory), bytes: peaks[index])
        }
    }

    /// The medians as a table, a line for each number of accounts, with a heading; empty when none was measured.
    static func table(_ report: Report) -> [String] {
        let rows = accounts.compactMap { accounts -> [String]? in
            let cells = Column.allCases.map { report[$0.id(accounts)]?.median ?? "–" }
            return report[Column.size.id(accounts)] == nil ? nil : [String(accounts)] + cells
        }
        guard !rows.isEmpty else { return [] }
        return ([["accounts"] + Column.allCases.map(\.rawValue)] + rows).map { cells in
            cells.map { String(repeating: " ", count: max(0, 14 - $0.count)) + $0 }.joined()
        }
    }
}
