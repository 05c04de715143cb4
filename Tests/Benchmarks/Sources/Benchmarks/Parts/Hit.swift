/// A cached token from a small store, beside a program that does nothing and others that do the same.
enum Hit {
    static func measure(_ bench: Bench, into report: inout Report) {
        let store = Stores.make(bench.scratch, "small.json", accounts: 1, tokensEach: 1, length: .full)
        let hit = Stores.hit(store, bench.scratch)
        let sandbox = Sandbox(bench.scratch, store: "agent.json")
        let agent = sandbox.flatMap { OIDCAgent($0, bench.scratch) }
        let nothing = Command(["/bin/true"], bench.scratch.environment)
        let times = Turns.time([nothing, hit] + [agent?.token].compactMap { $0 }, rounds: bench.options.runs(100))
        agent?.end()
        sandbox?.end()
        report.add("hit.true", "/bin/true", seconds: times[0])
        report.add("hit.foyer", "foyer token, cached, 1 account", seconds: times[1])
        report.addRatio("hit.foyer/true", "foyer token / true", times[1], times[0])
        if agent != nil {
            report.add("hit.oidc-token", "oidc-token, hot agent", seconds: times[2])
            report.addRatio("hit.foyer/oidc-token", "foyer token / oidc-token", times[1], times[2])
        } else {
            report.leaveOut("oidc-token", "as oidc-agent 4 or newer, curl or an account is missing")
        }
        if let python = bench.python {
            let both = Turns.time(
                [python.silent(store: store, bench.scratch), hit], rounds: bench.options.runs(20))
            report.add("hit.msal", "MSAL for Python, the same", seconds: both[0])
            report.addRatio("hit.msal/foyer", "MSAL for Python / foyer token", both[0], both[1])
        } else {
            report.leaveOut("MSAL for Python", "as no interpreter has it")
        }
        report.add(
            "hit.memory", "foyer token, peak of memory", bytes: Memory.peakAtFirstWrite(hit).map { [$0] })
    }
}
