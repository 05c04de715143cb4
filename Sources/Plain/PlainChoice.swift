// Plain shows AppModel as text: a page, then a numbered list of actions. It only appends text, so that screen readers,
// dumb terminals and scripts can follow. It must not make decisions: contents and the effect of a choice come from the
// model.

import AppModel
import Keys

struct PlainChoice: Equatable, Sendable {
    enum Act: Equatable, Sendable {
        case send(Command)
        case listRows, listEntries
        case change(field: Int)
    }

    let words: String
    let act: Act
    /// Names that can be typed instead of the number.
    var names: [String] = []
    /// False if it can only be chosen by name.
    var isNumbered = true
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
            guard !command.isMovement, !Self.ofScreens.contains(command), !Self.endings.contains(command),
                !(page.confirmation != nil && command == .open)
            else { continue }
            choices.append(
                PlainChoice(
                    words: "\(command.name): \(binding.help)", act: .send(command), names: Self.names(binding),
                    isNumbered: command != .copyMenu && (stack.isEmpty || !Registry.opensPage(command))))
        }
        return choices
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

    private static func names(_ binding: KeyBinding) -> [String] {
        [binding.command.name] + binding.command.aliases + binding.keys.map(\.name)
    }

    private static func withArticle(_ noun: String) -> String {
        ("aeiou".contains(noun.prefix(1)) ? "an " : "a ") + noun
    }
}
