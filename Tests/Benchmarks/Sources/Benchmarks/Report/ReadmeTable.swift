/// The table "How fast" of the README.
enum ReadmeTable {
    struct Row {
        let name: String
        /// The figure of foyer.
        let id: String
        /// The figures beside it, each with what it is called there.
        let others: [(label: String, id: String)]
    }

    static let rows = [
        Row(
            name: "`foyer token`, cached", id: "hit.foyer",
            others: [
                ("`/bin/true`", "hit.true"), ("`oidc-token` (hot agent)", "hit.oidc-token"),
                ("MSAL for Python", "hit.msal"),
            ]),
        Row(
            name: "`foyer token` among 5,000 tokens (15 MB)", id: "large.hit",
            others: [("MSAL for Python", "large.msal")]),
        Row(
            name: "First screen, 20 accounts", id: "frame.foyer",
            others: [("ncdu", "frame.ncdu"), ("nnn", "frame.nnn")]),
        Row(
            name: "Key to repaint, 20 accounts", id: "frame.key.foyer",
            others: [("ncdu", "frame.key.ncdu"), ("nnn", "frame.key.nnn")]),
        Row(name: "First screen, 10,000 accounts (59 MB)", id: "large.frame", others: []),
        Row(name: "Slowest key, 10,000 accounts", id: "large.key", others: [("during a reload", "large.key.reload")]),
        Row(name: "Memory, 10,000 accounts", id: "large.memory", others: []),
        Row(
            name: "Twenty processes, one expired token", id: "refresh.twenty",
            others: [("one process", "refresh.one"), ("refreshes", "refresh.requests")]),
    ]

    /// The parts that it needs.
    static let parts: [Options.Part] = [.hit, .large, .frame, .refresh]

    /// The table as Markdown, a line each: medians; a dash for what was not measured.
    static func lines(_ report: Report) -> [String] {
        let machine = "\(report.machine.cores) cores of \(report.machine.processor)"
        return ["| Medians on \(machine) | Foyer | beside it |", "|---|---|---|"]
            + rows.map { row in
                let others = row.others.compactMap { other in report[other.id].map { "\(other.label) \($0.median)" } }
                return "| \(row.name) | \(report[row.id]?.median ?? "–") | \(others.joined(separator: ", ")) |"
            }
    }
}
