package import AppModel
import Identity
import Keys

/// Presents the model as a line-based dialog: reports changes and interprets typed lines.
package struct PlainFace: Sendable {
    private enum Question: Equatable, Sendable {
        case choice
        case row, entry
        case text(field: Int)
        case value(field: Int)
        case prompt
    }

    private var question = Question.choice
    /// Identifies the page and its depth; nil to print the whole page.
    private var page: String?
    /// The lines of the page as last printed, so that only new ones are printed.
    private var told: [String] = []
    private var moving = 0
    private var notice: String?
    private var listed: [String] = []
    private var firstListed = 0
    /// A chosen row: while it is selected, its details are printed instead of its line.
    private var chosenRow: Int?
    /// The part of the choices that is listed on the first page, which other pages list in full.
    private enum Part: Equatable, Sendable {
        case usual, others
        /// With their full descriptions.
        case all
    }

    private var part = Part.usual
    package static let rowsAtOnce = 40
    private static let goingOn = "more"

    package init() {}

    package func prompt(_ state: AppState) -> String {
        switch question {
        case .choice, .value: "number: "
        case .row, .entry: "\(state.topPage.rowName): "
        case .text(let field): "\(state.topPage.fields()[field].label): "
        case .prompt: state.topPage.prompt.map(Self.words) ?? ""
        }
    }

    private static func words(_ prompt: TextPrompt) -> String {
        let label = prompt.label.last == ":" ? String(prompt.label.dropLast()) : prompt.label
        let standing = prompt.field.isEmpty || prompt.isUnseen ? "" : "; empty for \(prompt.field.text)"
        return "\(label) (\(prompt.hint)\(standing)\(prompt.isUnseen ? "; hidden" : "")): "
    }

    package func isUnseen(_ state: AppState) -> Bool { question == .prompt && state.topPage.prompt?.isUnseen == true }

    // MARK: Output

    /// The result of an answer, or a new page; then the actions.
    package mutating func tell(_ state: AppState) -> [String] {
        settle(state)
        switch question {
        case .choice, .prompt: return news(state, isAnswer: true) + ask(state)
        case .row where (state.topPage.rows() ?? []).isEmpty:
            return news(state, isAnswer: true) + ask(state)
        case .row, .entry, .text, .value: return ask(state)
        }
    }

    /// Changes that happened without an answer; no lines if none are worth reporting.
    ///
    /// - Returns: also whether the available actions changed, in which case the lines end with them.
    package mutating func tellChanges(_ state: AppState) -> (lines: [String], asks: Bool) {
        let before = (question, page)
        settle(state)
        let lines = news(state, isAnswer: false)
        let isSame = (question, page) == before && numbered(state) == listed
        return isSame ? (lines, false) : (lines + ask(state), true)
    }

    /// A question only applies to its own page, and the model's prompt takes precedence.
    private mutating func settle(_ state: AppState) {
        if Self.page(state) != page {
            question = .choice
            part = .usual
            chosenRow = nil
        }
        if state.topPage.prompt != nil {
            question = .prompt
        } else if question == .prompt {
            question = .choice
        }
        switch question {
        case .text(let field), .value(let field):
            if !state.topPage.fields().indices.contains(field) { question = .choice }
        case .choice, .row, .entry, .prompt: break
        }
    }

    private static func page(_ state: AppState) -> String { "\(state.stack.count) \(type(of: state.top))" }

    private mutating func news(_ state: AppState, isAnswer: Bool) -> [String] {
        let all = Self.heading(state) + text(state)
        let steady = Self.heading(state) + text(state, withMoving: false)
        // Animated lines are printed once, when they appear.
        let new = (all.count - steady.count > moving ? all : steady).filter { !told.contains($0) }
        // If most lines are new, print the whole page.
        let isWhole = Self.page(state) != page || isAnswer && new.count * 2 > steady.count
        page = Self.page(state)
        told = all
        moving = all.count - steady.count
        var lines = isWhole ? [""] + all : new
        if let text = state.notice, isAnswer || text != notice { lines.append(text) }
        notice = state.notice
        return lines
    }

    private static func heading(_ state: AppState) -> [String] {
        let context = state.context
        guard state.stack.isEmpty else { return [state.topPage.title] }
        let others = state.home.accounts.count { $0.store != nil }
        let elsewhere = state.home.countNeedingElsewhere
        let all = counted(state.home.accountCount, "account")
        let title = state.topPage.title
        return [
            (context.isDemo ? "Demo: " : "") + counted(state.home.accountCount - others, "account")
                + needing(state.home.needingYou, among: state.home.accounts)
                + (others == 0 ? "" : "; \(others) in other stores")
                + (elsewhere == 0 ? "" : ", \(needingSignIn(elsewhere)) there")
                + (title == all ? "" : "; listed: \(title)")
        ]
    }

    /// The most accounts that are named.
    private static let mostNamed = 3

    private static func needing(_ accounts: [Account], among all: [AccountOverview]) -> String {
        guard !accounts.isEmpty else { return "" }
        func user(_ account: Account) -> Substring { account.label.prefix { $0 != "@" } }
        let names = accounts.prefix(mostNamed).map { account in
            let isAmbiguous = all.contains {
                $0.account.label != account.label && user($0.account) == user(account)
            }
            return isAmbiguous ? account.label : String(user(account))
        }.joined(separator: ", ")
        let rest = accounts.count - mostNamed
        return "; \(needingSignIn(accounts.count)): \(names)" + (rest > 0 ? " and \(rest) more" : "")
    }

    private static func instructions(_ state: AppState) -> [String] {
        let context = state.context
        return [
            "Type a number, a command's name or a key, then Enter; ? and a number says what it does. Enter alone"
                + " repeats the page; Ctrl-C cancels.",
            "Store \(context.storeLabel)" + (context.storeBadge.map { " (\($0))" } ?? ""),
        ]
    }

    /// A list shows its selected row until one is chosen or opened; a text also shows its selected entry.
    private func text(_ state: AppState, withMoving: Bool = true) -> [String] {
        let page = state.topPage
        let marked = page.selectedRow
        if chosenRow != marked, !page.isReadingRow, let rows = page.rows(), rows.indices.contains(marked) {
            return ["the \(page.rowName): \(rows[marked])"]
        }
        let block = page.wholeText
        let entries = PlainText.entries(block)
        let entry = page.entry.flatMap { entries.count > 1 && entries.indices.contains($0) ? entries[$0] : nil }
        return PlainText.lines(block, withMoving: withMoving) + (entry.map { ["the \(page.rowName): \($0)"] } ?? [])
    }

    private func numbered(_ state: AppState) -> [String] {
        switch question {
        case .choice: return state.plainChoices.filter(\.isNumbered).map(\.words)
        case .row:
            let rows = state.topPage.rows() ?? []
            return state.choosableRows().map { rows[$0] }
        case .entry: return PlainText.entries(state.topPage.wholeText)
        case .value(let field):
            guard case .choice(let values, _) = state.topPage.fields()[field].kind else { return [] }
            return values
        case .text, .prompt: return []
        }
    }

    /// The numbered list, or the current part of it.
    private mutating func ask(_ state: AppState) -> [String] {
        var lines = numbered(state)
        if !lines.indices.contains(firstListed) { firstListed = 0 }
        listed = lines
        if question == .choice, let count = state.briefCount, part != .all {
            guard part == .usual else { return list(lines, count..<lines.count) + ending(state) }
            lines = state.plainChoices.filter(\.isNumbered).map { $0.brief ?? $0.words }
            return list(lines, 0..<count) + ending(state) + [" ?  what a number does"]
        }
        let end = question == .choice ? lines.count : min(lines.count, firstListed + Self.rowsAtOnce)
        let shown = lines.indices[firstListed..<end].flatMap {
            heading(above: $0, state) + [" \($0 + 1)  \(lines[$0])"]
        }
        switch question {
        case .text, .prompt: return []
        case .choice: return shown + ending(state)
        case .row, .entry, .value:
            let rest = lines.count - end
            let fewer = question == .row && state.isOffered(.filter) ? ", type part of a name to filter" : ""
            return shown + (rest > 0 ? ["    and \(rest) more: \"\(Self.goingOn)\" continues\(fewer)"] : [])
                + (takesOthers(state) ? ["    or type another one"] : []) + [" 0  back"]
        }
    }

    private func list(_ lines: [String], _ range: Range<Int>) -> [String] {
        range.map { " \($0 + 1)  \(lines[$0])" }
    }

    private func ending(_ state: AppState) -> [String] { state.plainEnding.map { [" 0  \($0.words)"] } ?? [] }

    /// The heading directly above a row that can be chosen, by its number from zero.
    private func heading(above number: Int, _ state: AppState) -> [String] {
        guard question == .row, let rows = state.topPage.rows() else { return [] }
        let row = state.choosableRows()[number]
        return row > 0 && state.isHeading(row: row - 1) ? ["    \(rows[row - 1]):"] : []
    }

    // MARK: Input

    /// Messages to the model for a typed line, or a complaint.
    ///
    /// - Parameter line: without its line break.
    package mutating func answer(_ line: String, _ state: AppState) -> (messages: [Message], complaint: [String]) {
        let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        settle(state)
        switch question {
        case .choice: return choose(words, state)
        case .row, .entry, .value: return pick(words, state)
        case .text(let field):
            question = .choice
            return ([.fill(field, words)], [])
        case .prompt:
            question = .choice
            if let command = Self.command(line, state) { return ([.command(command)], []) }
            // Empty input accepts the field's text. If that is empty, it goes back, except at the provider's prompts,
            // where it counts as an answer.
            guard !line.isEmpty else {
                let isAnswer = state.topPage.prompt?.field.isEmpty == false || state.keyContext == .question
                return ([.command(isAnswer ? .open : .back)], [])
            }
            return ([.key(.end), .key(.control("u")), .key(.paste(line)), .command(.open)], [])
        }
    }

    private mutating func choose(_ words: String, _ state: AppState) -> (messages: [Message], complaint: [String]) {
        if words.first == "?" { return ([], explanation(String(words.dropFirst()), state)) }
        let ending = state.plainEnding
        let chosen: PlainChoice?
        if let number = Int(words) {
            let choices = state.plainChoices.filter(\.isNumbered)
            chosen = number == 0 ? ending : choices.indices.contains(number - 1) ? choices[number - 1] : nil
        } else {
            // Keys are case-sensitive, names are not.
            let all = state.plainChoices + [ending].compactMap { $0 }
            let name = words.first == ":" && words.count > 1 ? String(words.dropFirst()) : words
            chosen = all.first { $0.names.contains(name) } ?? all.first { $0.names.contains(name.lowercased()) }
        }
        switch chosen?.act {
        case .send(let command):
            part = .usual
            return ([.command(command)], [])
        case .listRows: question = .row
        case .listEntries: question = .entry
        case .listMore:
            part = .others
            return ([], [])
        case .change(let field):
            if case .text = state.topPage.fields()[field].kind {
                question = .text(field: field)
            } else {
                question = .value(field: field)
            }
        case nil:
            // Empty input prints the page again.
            if words.isEmpty {
                page = nil
                part = .usual
                return ([], [])
            }
            return ([], complaint(state))
        }
        firstListed = 0
        part = .usual
        return ([], [])
    }

    /// The full description of a number's action; without a number those of all, and how to answer.
    private mutating func explanation(_ words: String, _ state: AppState) -> [String] {
        let lines = numbered(state)
        if let number = Int(words.split(separator: " ").joined()), lines.indices.contains(number - 1) {
            return list(lines, number - 1..<number)
        }
        part = .all
        return Self.instructions(state)
    }

    /// A command with a colon prefix, while other input answers a prompt.
    private static func command(_ line: String, _ state: AppState) -> Command? {
        guard line.first == ":" else { return nil }
        let commands = (state.plainChoices + [state.plainEnding].compactMap { $0 }).compactMap {
            if case .send(let command) = $0.act { command } else { nil }
        }
        return commands.first { $0 != .open && $0.name == line.dropFirst() }
    }

    private mutating func pick(_ words: String, _ state: AppState) -> (messages: [Message], complaint: [String]) {
        let count = numbered(state).count
        guard let number = Int(words) else {
            if words == Self.goingOn, count > Self.rowsAtOnce {
                guard firstListed + Self.rowsAtOnce < count else { return ([], ["end of list"]) }
                firstListed += Self.rowsAtOnce
                return ([], [])
            }
            guard !words.isEmpty else {
                question = .choice
                return ([], [])
            }
            if case .value(let field) = question, takesOthers(state) {
                question = .choice
                return ([.fill(field, words)], [])
            }
            guard question == .row, state.isOffered(.filter) else { return ([], complaint(state)) }
            firstListed = 0
            return (
                [.command(.filter), .key(.end), .key(.control("u")), .key(.paste(words)), .command(.keepFilter)], []
            )
        }
        guard (0...count).contains(number) else { return ([], complaint(state)) }
        defer { question = .choice }
        guard number > 0 else { return ([], []) }
        if case .value(let field) = question { return ([.fill(field, String(number - 1))], []) }
        guard question == .row else { return ([.select(number - 1)], []) }
        let row = state.choosableRows()[number - 1]
        chosenRow = row
        // Print the whole text, as the earlier lines belong to another row.
        told = []
        return ([.select(row)], [])
    }

    private func takesOthers(_ state: AppState) -> Bool {
        guard case .value(let field) = question else { return false }
        return state.topPage.fields()[field].takesOthers
    }

    private func complaint(_ state: AppState) -> [String] { ["type a number from 0 to \(numbered(state).count)"] }
}
