import AppModel
import CommandSupport
import Identity
import StrictJSON

/// Text of `foyer agent status`, from the object that `--json` prints.
struct AgentStatusText {
    let status: JSONValue

    /// Everything except the lists; the served tokens first.
    var facts: [(name: String, value: String)] {
        let version = text("version")
        let served = status["served"]
        let tokens = served?["tokens"]?.integer ?? 0
        var facts = [
            (
                "served",
                "\(tokens) token\(tokens == 1 ? "" : "s"), \(served?["refreshed"]?.integer ?? 0) of them refreshed; "
                    + "\(served?["failures"]?.integer ?? 0) refused or failed"
            ),
            ("socket", text("socket") + (text("socketOf") == "systemd" ? " (systemd's)" : "")),
        ]
        if version != Product.version {
            facts.append(("note", "version mismatch: foyer is \(Product.version); commands run without the agent"))
        }
        if status["isReplaced"]?.bool == true {
            facts.append(("note", "foyer was upgraded; the agent restarts when idle"))
        }
        return facts + (status["stores"]?.array ?? []).map { ("store", $0.string ?? "") }
    }

    var lines: [String] {
        var lines = [
            row("agent", "running, pid \(number("pid")), version \(text("version")), since \(text("since"))")
        ]
        if status["locked"]?.bool == true { lines.append(row("locked", "no tokens")) }
        if status["busy"]?.bool == true {
            let words = "too many connections (\(number("connections"))); commands run without the agent"
            lines.append(row("busy", words))
        }
        for request in status["requests"]?.array ?? [] { lines.append(row("waiting", Self.words(ofRequest: request))) }
        for way in status["forwardings"]?.array ?? [] { lines.append(row("forward", Self.words(ofForwarding: way))) }
        lines += facts.map { row($0.name, $0.value) }
        for next in (status["upcoming"]?.array ?? []).prefix(10) {
            let words = ["at", "client", "account"].compactMap { next[$0]?.string }
            lines.append(row("refresh", words.joined(separator: "  ")))
        }
        for asker in (status["askers"]?.array ?? []).prefix(10) { lines.append(row("asked", words(asker))) }
        return lines
    }

    static func words(ofRequest request: JSONValue) -> String {
        func text(_ name: String) -> String { request[name]?.string ?? "" }
        return "\(text("id"))  \(text("asker"))  \(text("client"))  \(text("account"))  \(text("scopes"))"
    }

    static func words(ofForwarding way: JSONValue) -> String {
        func text(_ name: String) -> String { way[name]?.string ?? "" }
        let tokens = way["tokens"]?.integer ?? 0
        var words = "\(text("id"))  \(text("words"))  since \(text("since"))  \(tokens) token\(tokens == 1 ? "" : "s")"
        if let program = way["program"]?.string { words += "  last request: \(program)" }
        return words + (way["ended"]?.bool == true ? "  ended" : "")
    }

    private func words(_ asker: JSONValue) -> String {
        func text(_ name: String) -> String? { asker[name]?.string }
        let program = text("forwarded") == nil ? text("program") ?? "" : AgentReport.Use(asker).name
        var words = "\(text("last") ?? "")  \(program) (pid \(asker["pid"]?.integer ?? 0)"
        if let parent = text("parent") { words += ", for \(parent)" }
        if let container = text("container") { words += ", container \(container)" }
        if let unit = text("unit") { words += ", \(unit)" }
        words += ")"
        if let client = text("client") { words += "  \(client)" }
        if let account = text("account") { words += "  \(account)" }
        let count = asker["requests"]?.integer ?? 1
        return words + (count > 1 ? "  \(count) times" : "")
    }

    private func row(_ name: String, _ value: String) -> String { name.padded(to: 8) + value }

    private func text(_ name: String) -> String { status[name]?.string ?? "" }
    private func number(_ name: String) -> Int64 { status[name]?.integer ?? 0 }
}
