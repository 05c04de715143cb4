import Identity

extension Copyable {
    /// Empty if there is nothing to copy.
    func actions(in context: Context) -> [Action] { content()?.actions(name, in: context) ?? [] }
}

extension Feature {
    /// The page's text for sharing: without tokens and codes.
    func pageReport(in context: Context) -> Copyable {
        let page = page(in: context)
        return Copyable(
            "report without secrets",
            ([page.title] + PlainText.report(page.wholeText)).joined(separator: "\n") + "\n")
    }
}

extension Copyable.Content {
    func actions(_ name: String, in context: Context) -> [Action] {
        switch self {
        case .text(let text):
            // Plain mode prints the text instead.
            return [.perform(.copy(text))]
                + (context.naming == .keys ? [.notice("\(name) copied to the clipboard")] : [])
        case .secret(let secret):
            let life = Context.clipboardLife
            return [
                .perform(.copySecret(secret)),
                .notice("the \(name) copied to the clipboard; cleared in \(life) s, and when foyer exits"),
            ]
        }
    }

    /// Plain mode does not copy tokens: it can reveal them.
    func isOffered(in context: Context) -> Bool {
        if case .secret = self { context.naming == .keys } else { true }
    }
}
