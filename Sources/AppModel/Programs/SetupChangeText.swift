import Identity

// The change before it is applied, and the result.
extension SetupChange {
    func page(in context: Context) -> Page {
        let title = direction == .setUp ? "Set \(program.name) up" : "Undo \(program.name)'s setup"
        return Page(
            title: confirmation == nil ? title : title + "?", addText: addText, confirmation: confirmation)
    }

    private func addText(to block: inout TextBlock) {
        switch stage {
        case .looking:
            add(stateTo: &block)
            block.text("checking what would change", .info)
        case .asking(let preview), .idle(let preview):
            add(preview, to: &block)
        case .working: block.text("applying and testing", .info)
        case .over(let result):
            if result.failure == nil { block.text(result.words, .emphasis) }
            for check in result.checks {
                block.item(check.isGood ? (.check, .ok) : (.cross, .danger), check.detail)
            }
            if let failure = result.failure {
                block.blank()
                block.add(failure)
            }
        case .failed(let failure): block.add(failure)
        }
    }

    private func add(stateTo block: inout TextBlock) {
        block.item(program.sign, "\(program.name): \(program.words)", .emphasis)
        if !program.detail.isEmpty { block.text(program.detail, .muted) }
        block.blank()
    }

    private func add(_ preview: SetupPreview, to block: inout TextBlock) {
        add(stateTo: &block)
        if preview.lines.isEmpty { block.text("nothing to change") }
        for line in preview.lines { add(line, to: &block) }
        if !preview.warnings.isEmpty || !preview.notes.isEmpty { block.blank() }
        for warning in preview.warnings { block.item(.warning, .attention, warning) }
        for note in preview.notes { block.text(note, .muted) }
    }

    /// Adds a line with its whitespace, in the colors of a diff.
    private func add(_ line: String, to block: inout TextBlock) {
        let tone: Tone =
            switch line.prefix(3) {
            case "  +": .ok
            case "  -": .danger
            default: .text
            }
        block.add(.spans([TextSpan(line, tone)], indent: 0))
    }
}
