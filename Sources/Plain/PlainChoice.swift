// Plain shows AppModel as text: a page, then a numbered list of actions. It only appends text, so that screen readers,
// dumb terminals and scripts can follow. It must not make decisions: contents and the effect of a choice come from the
// model.

import AppModel
import Keys

struct PlainChoice: Equatable, Sendable {
    enum Act: Equatable, Sendable {
        case send(Command)
        case listRows, listEntries
        case listMore
        case change(field: Int)
    }

    let words: String
    let act: Act
    /// Names that can be typed instead of the number.
    var names: [String] = []
    /// False if it can only be chosen by name.
    var isNumbered = true
    /// Fewer words, for the first page.
    var brief: String?
}

extension AppState {
    /// Only the list of accounts has headings.
    func isHeading(row: Int) -> Bool { stack.isEmpty && home.isHeading(row: row) }

    func choosableRows() -> [Int] { (topPage.rows() ?? []).indices.filter { !isHeading(row: $0) } }

    /// Commands without a purpose in plain mode: for the mouse and the screen; for keys, which the numbered list
    /// replaces; for search and copying, which the terminal provides; and for the filter, which is typed when choosing
    /// an account.
    private static let ofScreens: Set<Command> = [
        .qrCode, .toggleMouse, .redraw, .suspend, .help, .search, .keepSearch, .clearSearch, .copy,
        .copySecret, .copyClaims,
        .filter, .keepFilter,
    ]
    private static let endings: [Command] = [.back, .no, .quit]

    /// The actions that the first page lists, in this order, and the number of actions that it lists in all.
    private static let usual: [Command] = [.open, .signIn, .inspect, .nextNeedingYou, .scopes]
    private static let usualCount = 5

    /// The first page is short: after the usual actions, `more` lists the others. Their numbers do not change.
    private static func withMore(_ choices: [PlainChoice]) -> [PlainChoice] {
        func rank(_ choice: PlainChoice) -> Int {
            if case .send(let command) = choice.act { usual.firstIndex(of: command) ?? usual.count } else { -1 }
        }
        let sorted = choices.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map(\.element)
        let rest = sorted.dropFirst(usualCount)
        guard rest.count > 1 else { return sorted }
        let more = "more: \(rest.count(where: \.isNumbered)) others"
        return sorted.prefix(usualCount) + [PlainChoice(words: more, act: .listMore, names: ["more"], brief: more)]
            + rest
    }

    /// The number of choices that the first page lists; nil for other pages, which list all.
    var briefCount: Int? {
        guard stack.isEmpty else { return nil }
        return plainChoices.filter(\.isNumbered).firstIndex { $0.act == .listMore }.map { $0 + 1 }
    }

    // All available actions except ending the page. The copy menu is chosen only by name, because the terminal can copy
    // the text. Global actions are numbered only on the first page, so that not every page repeats them.
    var plainChoices: [PlainChoice] {
        var choices: [PlainChoice] = []
        let page = topPage
        let choosing = "choose " + Self.withArticle(page.rowName)
        if choosableRows().count > 1 {
            choices.append(PlainChoice(words: choosing, act: .listRows))
        }
        if page.entry != nil, PlainText.entries(page.wholeText).count > 1 {
            choices.append(PlainChoice(words: choosing, act: .listEntries))
        }
        for (index, field) in page.fields().enumerated() {
            let value = field.value.isEmpty ? " (\(field.unset))" : ": \(field.value)"
            choices.append(PlainChoice(words: "change the \(field.label)\(value)", act: .change(field: index)))
        }
        var seen: Set<Command> = []
        for binding in offered where seen.insert(binding.command).inserted {
            let command = binding.command
            // Enter gives the safe answer to a confirmation, and so does zero.
            guard !command.isMovement || command == .nextNeedingYou, !Self.ofScreens.contains(command),
                !Self.endings.contains(command),
                !(page.confirmation != nil && command == .open)
            else { continue }
            choices.append(
                PlainChoice(
                    words: "\(command.name): \(Self.help(binding))", act: .send(command), names: Self.names(binding),
                    isNumbered: command != .copyMenu && (stack.isEmpty || !Registry.opensPage(command)),
                    brief: Self.brief(binding)))
        }
        return stack.isEmpty ? Self.withMore(choices) : choices
    }

    var plainEnding: PlainChoice? {
        guard let binding = offered.first(where: { Self.endings.contains($0.command) && !$0.label.isEmpty }) else {
            return nil
        }
        let name = binding.command.name
        return PlainChoice(
            words: binding.command == .no ? "\(name): \(binding.help)" : name, act: .send(binding.command),
            names: Self.names(binding))
    }

    /// The name, and the footer's label unless the name says the same.
    private static func brief(_ binding: KeyBinding) -> String {
        let name = binding.command.name
        return name.replacing("-", with: " ").hasPrefix(binding.label) ? name : "\(name): \(binding.label)"
    }

    /// The help, without the name if it begins with that.
    private static func help(_ binding: KeyBinding) -> String {
        let name = "\(binding.command.name); "
        return binding.help.hasPrefix(name) ? String(binding.help.dropFirst(name.count)) : binding.help
    }

    private static func names(_ binding: KeyBinding) -> [String] {
        [binding.command.name] + binding.command.aliases + binding.keys.map(\.name)
    }

    private static func withArticle(_ noun: String) -> String {
        ("aeiou".contains(noun.prefix(1)) ? "an " : "a ") + noun
    }
}
