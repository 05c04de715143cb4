// Plain shows AppModel as text: a page, then what can be done as a numbered list. Text is only ever added, nothing is
// drawn again, so that screen readers, dumb terminals and scripts can follow. It must not decide anything: what is
// shown and what a choice does is the model's.

import AppModel
import Keys

/// Something that can be done now, and what the model is told when it is chosen.
struct PlainChoice: Equatable, Sendable {
    enum Act: Equatable, Sendable {
        case send(Command)
        /// Lists the rows, or the entries of the text, to choose one.
        case listRows, listEntries
        /// Asks for a field's text, or lists its values.
        case change(field: Int)
    }

    let words: String
    let act: Act
    /// Names by which it is chosen beside its number.
    var names: [String] = []
    /// Off where it is only chosen by its name.
    var isNumbered = true
}

extension Feature {
    /// The places of the rows that can be chosen.
    func choosableRows(in context: Context) -> [Int] {
        (rows(in: context) ?? []).indices.filter { !isHeading(row: $0) }
    }
}

extension AppState {
    /// Commands that mean nothing where nothing is drawn: the mouse and the screen itself; the keys, for the numbered
    /// list says what can be done; what a terminal does with the text that it shows, which is to search and to copy it;
    /// and the filter, for which a part of a name is typed where an account is chosen.
    private static let ofScreens: Set<Command> = [
        .qrCode, .toggleMouse, .redraw, .suspend, .help, .search, .keepSearch, .clearSearch, .copy,
        .copySecret, .copyClaims,
        .filter, .keepFilter,
    ]
    /// What ends the page, chosen by zero.
    private static let endings: [Command] = [.back, .no, .quit]

    // What stands there can be copied by the terminal: the menu is not read out on each page, and is taken by name.
    /// Everything that can be done now, but ending the page. What can be done anywhere is numbered on the first page
    /// alone: nobody wants to hear it on each.
    var plainChoices: [PlainChoice] {
        var choices: [PlainChoice] = []
        let choosing = "choose " + Self.withArticle(top.rowName)
        if top.choosableRows(in: context).count > 1 {
            choices.append(PlainChoice(words: choosing, act: .listRows))
        }
        if top.entry != nil, PlainText.entries(top.whole(in: context)).count > 1 {
            choices.append(PlainChoice(words: choosing, act: .listEntries))
        }
        for (index, field) in top.fields(in: context).enumerated() {
            let value = field.value.isEmpty ? " (empty)" : ": \(field.value)"
            choices.append(PlainChoice(words: "change the \(field.label)\(value)", act: .change(field: index)))
        }
        var seen: Set<Command> = []
        for binding in offered where seen.insert(binding.command).inserted {
            let command = binding.command
            // Enter gives the safe answer to a question, which zero gives, too.
            guard !command.isMovement, !Self.ofScreens.contains(command), !Self.endings.contains(command),
                !(top.confirmation != nil && command == .open)
            else { continue }
            choices.append(
                PlainChoice(
                    words: "\(command.name): \(binding.help)", act: .send(command), names: Self.names(binding),
                    isNumbered: command != .copyMenu && (stack.isEmpty || !Registry.opensPage(command))))
        }
        return choices
    }

    /// What ends the page.
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
