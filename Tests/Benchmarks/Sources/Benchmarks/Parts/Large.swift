/// Large stores: a cached token among 5,000 and how it grows, and the interface with ten thousand accounts.
enum Large {
    static func measure(_ bench: Bench, into report: inout Report) {
        hit(bench, into: &report)
        let stores = Growth.accounts.map { accounts in
            let path = Stores.make(
                bench.scratch, "\(accounts).json", accounts: accounts, tokensEach: 5, length: .short)
            return Growth.Store(path: path, accounts: accounts)
        }
        Growth.measure(bench, stores, into: &report)
        if let largest = stores.last { TenThousand.measure(bench, store: largest.path, into: &report) }
    }

    private static func hit(_ bench: Bench, into report: inout Report) {
        let small = Stores.make(bench.scratch, "one.json", accounts: 1, tokensEach: 1, length: .full)
        let large = Stores.make(bench.scratch, "large.json", accounts: 1000, tokensEach: 5, length: .full)
        let hit = Stores.hit(large, bench.scratch)
        let times = Turns.time([Stores.hit(small, bench.scratch), hit], rounds: bench.options.runs(50))
        let megabytes = Files.size(large) / 1_000_000
        report.add("large.hit.small", "foyer token, cached, 1 token, in turns with the next", seconds: times[0])
        report.add("large.hit", "foyer token, cached, 5,000 tokens (\(megabytes) MB)", seconds: times[1])
        report.addRatio("large.hit/small", "foyer token, 5,000 tokens / 1 token", times[1], times[0])
        report.add(
            "large.hit.memory", "foyer token, 5,000 tokens, peak of memory",
            bytes: Memory.peakAtFirstWrite(hit).map { [$0] })
        guard let python = bench.python else {
            return report.leaveOut("MSAL for Python, 5,000 tokens", "as no interpreter has it")
        }
        let both = Turns.time([python.silent(store: large, bench.scratch), hit], rounds: bench.options.runs(5))
        report.add("large.msal", "MSAL for Python, 5,000 tokens", seconds: both[0])
        report.addRatio("large.msal/foyer", "MSAL for Python / foyer token, 5,000 tokens", both[0], both[1])
    }
}
