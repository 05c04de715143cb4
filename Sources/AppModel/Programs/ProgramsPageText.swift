import FoundationEssentials
import Identity

extension ProgramsPage {
    private static let mostBefore = 50

    func table(in context: Context) -> ListTable? {
        guard let report else { return nil }
        return ListTable(
            [.flexible("program"), "last", .spare("rule"), .spare("from")], cause: "account",
            report.programs.map { program in
                let last = program.uses.first
                let isGiven = last?.refusal == nil
                return ListTable.Row(
                    last?.sign ?? (.none, .muted),
                    [
                        TextSpan(program.words), TextSpan(last.map { context.clock.relative($0.at) } ?? "", .muted),
                        TextSpan(program.rule.map { "line \($0.line)" } ?? "no rule", .muted),
                        TextSpan(isGiven ? last?.source ?? "" : "refused", isGiven ? .muted : .danger),
                    ], cause: last.map { $0.refusal ?? $0.account } ?? "")
            }
                + (report.states ?? []).map { state in
                    let cells = [TextSpan(state.name), TextSpan(state.words, .muted), TextSpan(""), TextSpan("")]
                    return ListTable.Row(state.sign, cells, cause: state.detail)
                })
    }

    func addText(in context: Context, to block: inout TextBlock) {
        guard let report else { return block.text(isWaiting ? "loading" : "cannot load", .muted) }
        if let program {
            if chosen.isReading, program.offers.isEmpty {
                add(ruleOf: program, in: report, to: &block)
                block.blank()
            }
            add(program, in: report, context, to: &block)
        } else if let state {
            block.item(state.sign, "\(state.name): \(state.words)", .emphasis)
            if !state.detail.isEmpty { block.text(state.detail, .muted) }
            let open = context.name(of: .open, at: .programs)
            block.text("\(open): " + (state.next == .setUp ? "preview setup" : "undo setup"), .muted)
        }
        if report.programs.isEmpty {
            if state != nil { block.blank() }
            block.text("No program has requested a token yet.", .emphasis)
            block.blank()
            block.text(
                "git, kubectl, docker, az and Azure SDKs can use foyer: set them up, see "
                    + "\"foyer help programs\".", .muted)
            block.text(
                "\"foyer why git https://dev.azure.com/contoso/x\" shows which account a program would get, and why.",
                .muted)
        }
    }

    private func add(
        _ program: ProgramsReport.Program, in report: ProgramsReport, _ context: Context, to block: inout TextBlock
    ) {
        let clock = context.clock
        guard let last = program.uses.first else { return }
        block.add(last, of: program, in: context) { addAnswers(in: context, to: &$0) }
        block.field("rule", report.ruleWords(of: program))
        if !chosen.isReading {
            let open = context.name(of: .open, at: .programs)
            if program.offers.isEmpty {
                block.text(program.rule == nil ? "\(open): suggest a rule" : "\(open): show the rule", .muted)
            }
        }
        block.add(outlookOf: program)
        let before = program.uses.dropFirst()
        guard !before.isEmpty else { return }
        block.blank()
        block.heading("Before")
        for use in before.prefix(Self.mostBefore) {
            let outcome = use.refusal.map { "refused: " + $0 } ?? use.source
            let parts = [clock.time(use.at), use.account, use.client, outcome]
            block.item(
                use.refusal == nil ? (.separator, .muted) : (.cross, .danger),
                parts.filter { !$0.isEmpty }.joined(separator: " · "), .muted)
        }
    }

    private func add(ruleOf program: ProgramsReport.Program, in report: ProgramsReport, to block: inout TextBlock) {
        if let rule = program.rule {
            block.heading("\(report.settingsFile), line \(rule.line)")
            block.add(toml: rule.text)
        } else if program.ruleToWrite.isEmpty {
            block.heading("No matching rule")
            block.text("No suggestion available.", .muted)
        } else {
            block.heading("No matching rule. Add to \(report.settingsFile):")
            block.add(toml: program.ruleToWrite)
        }
    }
}

extension TextBlock {
    /// Adds a request with its result.
    ///
    /// - Parameter addAnswers: adds the answers to a refusal; nothing if there are none.
    mutating func add(
        _ use: ProgramsReport.Use, of program: ProgramsReport.Program, in context: Context,
        addAnswers: (inout TextBlock) -> Void
    ) {
        item(use.sign, program.words, .emphasis)
        if let refusal = use.refusal { field("refused", refusal, .danger) }
        let start = paragraphs.count
        addAnswers(&self)
        if paragraphs.count > start { blank() }
        field("account", use.accountWords.isEmpty ? "none" : use.accountWords)
        if !use.client.isEmpty { field("client", use.client) }
        if !use.tenant.isEmpty { field("tenant", use.tenant) }
        for (place, scope) in use.scopes.enumerated() { field(place == 0 ? "scopes" : "", scope) }
        field("last", use.at, context.clock)
        if use.refusal == nil { field("from", use.sourceWords) }
        if use.milliseconds != nil { field("took", Clock.duration(milliseconds: use.milliseconds)) }
    }

    /// Adds lines with their whitespace.
    mutating func add(toml lines: [String]) {
        for line in lines {
            add(.spans([TextSpan(String(line.flatMap { $0 == "\t" ? "    " : String($0) }))], indent: 2))
        }
    }

    /// Adds what the program would get now, and by which rule.
    mutating func add(outlookOf program: ProgramsReport.Program) {
        guard !program.explanation.isEmpty else { return }
        blank()
        heading("What it would get now")
        for line in program.explanation { text(line, .muted) }
    }
}

extension ProgramsReport {
    func ruleWords(of program: Program) -> String {
        program.rule.map { "line \($0.line) of \(settingsFile)" } ?? "no matching rule"
    }
}

extension ProgramsReport.Program {
    /// Such as `git for dev.azure.com/contoso`.
    var words: String { target.isEmpty ? name : "\(name) for \(target)" }
}
