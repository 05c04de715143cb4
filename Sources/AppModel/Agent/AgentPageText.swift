import FoundationEssentials
import Identity

extension AgentPage {
    func table(in context: Context) -> ListTable? {
        guard let report else { return nil }
        let clock = context.clock
        func row(
            _ sign: (Sign, Tone), _ name: String, _ state: String, _ tone: Tone, _ cause: String...
        ) -> ListTable.Row {
            let cause = cause.filter { !$0.isEmpty }.joined(separator: " · ")
            return ListTable.Row(sign, [TextSpan(name), TextSpan(state, tone)], cause: cause)
        }
        let (sign, word) = report.state.sign
        let own = row(sign, "foyer agent", word, sign.1 == .ok ? .text : sign.1, report.facts.first?.value ?? "")
        let questions = report.questions.map {
            row((.warning, .attention), AgentReport.name(of: $0.asker), "pending", .attention, $0.client, $0.account)
        }
        let forwardings = report.forwardings.map {
            $0.isEnded
                ? row((.cross, .muted), $0.words, "ended", .muted, $0.facts)
                : row((.full, .attention), $0.words, "forwarded", .attention, $0.facts)
        }
        let uses = report.uses.map { use in
            let (name, last) = (use.name, use.last.map(clock.relative) ?? "")
            return use.client.isEmpty
                ? row((.separator, .muted), name, last, .muted, "refused")
                : row((.check, .ok), name, last, .muted, use.client, use.account)
        }
        let refreshes = report.refreshes.map {
            row((.renewal, .muted), "renewal", $0.at.map(clock.relative) ?? "", .muted, $0.client, $0.account)
        }
        return ListTable(
            [.flexible("program"), "state"], cause: "for", [own] + questions + forwardings + uses + refreshes)
    }

    func addText(in context: Context, to block: inout TextBlock) {
        guard let report else { return block.text("loading", .muted) }
        // Rows are in the order of the table: the agent, questions, forwardings, uses, refreshes.
        let place = selectedRow(in: context) - 1
        if place < 0 {
            add(report, in: context, to: &block)
        } else if report.questions.indices.contains(place) {
            report.questions[place].add(in: context, to: &block)
            return addChoices(in: context, to: &block)
        }
        let ofForwardings = place - report.questions.count
        let ofUses = ofForwardings - report.forwardings.count
        let ofRefreshes = ofUses - report.uses.count
        if report.forwardings.indices.contains(ofForwardings) {
            report.forwardings[ofForwardings].add(in: context, to: &block)
            addChoices(in: context, to: &block)
        } else if report.uses.indices.contains(ofUses) {
            block.add(report.uses[ofUses], in: context)
        } else if report.refreshes.indices.contains(ofRefreshes) {
            let refresh = report.refreshes[ofRefreshes]
            block.item(.renewal, .muted, "refreshed in advance", .emphasis)
            block.field("client", refresh.client)
            block.field("account", refresh.account)
            block.field("at", refresh.at, context.clock)
            block.text("Requested through the agent recently.", .muted)
        }
    }

    private func addChoices(in context: Context, to block: inout TextBlock) {
        guard !choices.isEmpty else { return }
        block.blank()
        guard let marked = entry else {
            return block.text("\(context.name(of: .open, at: .agent)): answer", .muted)
        }
        block.menu(choices.map { ($0.name, "") }, nameWidth: 28, marked: marked)
        // Only wide screens have room for it next to the names.
        block.blank()
        block.text(choices[marked].facts, .muted)
    }

    private func add(_ report: AgentReport, in context: Context, to block: inout TextBlock) {
        let (sign, word) = report.state.sign
        block.item(sign, "the agent: " + word, .emphasis)
        if report.pid > 0 { block.field("pid", String(report.pid)) }
        block.field("since", report.since, context.clock)
        for fact in report.facts { block.field(fact.name, fact.value) }
        block.blank()
        let end = context.name(of: .endAgent, at: .agent)
        switch report.state {
        case .absent:
            block.text(
                "Optional. Refreshes before expiry, once for all programs, and asks you before it "
                    + "gives out a token if the settings say so.", .muted)
            block.text("\(end): start", .muted)
        case .running:
            block.text("\(context.name(of: .lockAgent, at: .agent)): lock, \(end): stop", .muted)
        case .locked(let stores):
            block.text("no token is given until it is unlocked", .attention)
            for store in stores { block.field("unlocked by", "the passphrase of \(store)") }
            if stores.isEmpty { block.text("no store is encrypted: anything that runs as you can unlock it", .muted) }
        case .unusable(let why): block.text(why, .danger)
        }
    }
}

extension TextBlock {
    /// Adds the requests of a process to the agent.
    mutating func add(_ use: AgentReport.Use, in context: Context) {
        text(use.program, .emphasis)
        field("pid", String(use.pid))
        if !use.place.isEmpty { field("runs in", use.place) }
        if !use.host.isEmpty { field("from", use.host) }
        if !use.remoteProgram.isEmpty { field("for", use.remoteProgram + ", as reported from there") }
        if use.client.isEmpty {
            text("refused", .muted)
        } else {
            field("client", use.client)
            field("account", use.account)
        }
        field("last", use.last, context.clock)
        field("requests", String(use.requests))
        text("Program and PID are as reported by the system, unverified.", .muted)
    }
}

extension AgentReport {
    /// The program without its directory, which the details show.
    static func name(of program: String) -> String {
        let path = program.prefix { $0 != " " }
        guard let slash = path.lastIndex(of: "/") else { return program }
        return String(program[program.index(after: slash)...])
    }
}

extension AgentReport.Use {
    /// The program; if it is on another host, with the way from there, such as `git via ssh build`.
    package var name: String {
        let via = AgentReport.name(of: host.isEmpty ? program : host)
        return host.isEmpty || remoteProgram.isEmpty ? via : AgentReport.name(of: remoteProgram) + " via " + via
    }
}

extension AgentReport.State {
    fileprivate var sign: ((Sign, Tone), String) {
        switch self {
        case .absent: ((.empty, .muted), "not running")
        case .running: ((.full, .ok), "running")
        case .locked: ((.half, .attention), "locked")
        case .unusable: ((.cross, .danger), "cannot be used")
        }
    }
}

extension AgentReport.Question {
    func add(in context: Context, to block: inout TextBlock) {
        block.text(asker, .emphasis)
        block.field("client", client, labelWidth: 10)
        if !account.isEmpty { block.field("account", account, labelWidth: 10) }
        block.field("scopes", scopes, labelWidth: 10)
        if let since { block.field("waits", "since \(context.clock.time(since))", labelWidth: 10) }
    }
}

extension AgentReport.Forwarding {
    fileprivate var facts: String {
        let given = tokens == 0 ? "no tokens yet" : counted(Int(tokens), "token")
        return failures == 0 ? given : "\(given), \(failures) refused"
    }

    fileprivate func add(in context: Context, to block: inout TextBlock) {
        block.text(words, .emphasis)
        if !program.isEmpty { block.field("program", program + " (last request)") }
        block.field("since", since, context.clock)
        if let last { block.moving { $0.field("last request", context.clock.relative(last)) } }
        block.field("given", facts)
        block.text(
            isEnded
                ? "Closed: gets no more tokens."
                : "Gets only access tokens that [forward] in the settings allows.", .muted)
    }
}
