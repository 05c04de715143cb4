import Glibc

/// An expired token: one process, and twenty at once, of which one may ask the provider.
enum Refresh {
    private static let crowd = 20

    static func measure(_ bench: Bench, into report: inout Report) {
        guard let sandbox = Sandbox(bench.scratch, store: "refresh.json") else {
            return report.leaveOut("refresh", "as curl is missing or the sandbox's sign-in fails")
        }
        defer { sandbox.end() }
        var (one, twenty, requests): ([Double], [Double], [Double]) = ([], [], [])
        for round in -1..<bench.options.runs(10) {
            guard let alone = time(1, sandbox), let before = sandbox.refreshes, let together = time(crowd, sandbox),
                let after = sandbox.refreshes
            else { return report.leaveOut("refresh", "as foyer token failed") }
            guard round >= 0 else { continue }
            one.append(alone)
            twenty.append(together)
            requests.append(Double(after - before))
        }
        report.add("refresh.one", "refresh of an expired token, one process", seconds: one)
        report.add("refresh.twenty", "the same, twenty processes at once, until the last has ended", seconds: twenty)
        report.add("refresh.requests", "refreshes at the provider for twenty processes", .count, requests)
        report.addRatio("refresh.twenty/one", "twenty processes / one", twenty, one)
    }

    /// Seconds until the last of that many processes has ended; nil when one of them failed.
    private static func time(_ count: Int, _ sandbox: Sandbox) -> Double? {
        sandbox.expireToken()
        let start = Clock.now
        let processes = (0..<count).map { _ in Child.start(sandbox.silentToken) }
        let endings = processes.map { process in process.flatMap { Child.wait($0) }?.status }
        return endings.allSatisfy { $0 == 0 } ? Clock.now - start : nil
    }
}
