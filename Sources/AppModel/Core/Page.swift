/// The content of a feature. Texts and lists are closures: making them takes time, and not every reader needs them.
package struct Page {
    package var title: String
    /// The title for the rule above the page; nil for the title alone.
    var rule: (() -> PageTitle)?
    /// The tab it belongs to; nil for a feature on top of another.
    package var tab: Tab?
    /// Adds the text; for a list, the details of the selected row.
    var addText: (inout TextBlock) -> Void = { _ in }
    /// Adds the full text, for a report and for plain mode; nil if that is the text.
    var addWhole: ((inout TextBlock) -> Void)?
    /// Whether it is a list with details of the selected row.
    package var isList = false
    /// The list in columns; nil without a list, or if each row is a single text.
    package var table: () -> ListTable? = { nil }
    /// The list's rows as text, which plain mode prints one at a time; nil without a list, or if plain mode prints all.
    package var rows: () -> [String]? = { nil }
    package var selectedRow = 0
    /// Whether the selected row's details are shown instead of the list.
    package var isReadingRow = false
    /// Columns that the list should have, even if that is more than the details next to it get.
    package var listColumns = 0
    /// The noun for a row, or for an entry of the text.
    package var rowName = "line"
    /// The selected entry of the text, if entries can be selected.
    var marked: MarkedEntry?
    package var prompt: TextPrompt?
    /// The filter above the list, if it is typed or filters.
    package var filter: Filter?
    package var confirmation: Confirmation?
    /// Values that can be changed before a form is submitted.
    package var fields: () -> [FormField] = { [] }
    /// Values that can be copied to the clipboard, most useful first.
    package var copyables: () -> [Copyable] = { [] }

    package struct Filter {
        package let field: TextField
        package let isTyping: Bool
        /// The number of rows that match.
        package let count: Int
        package let hint: String

        package init(field: TextField, isTyping: Bool, count: Int, hint: String) {
            (self.field, self.isTyping, self.count, self.hint) = (field, isTyping, count, hint)
        }
    }

    package var entry: Int? { marked?.entry }
    package var pageTitle: PageTitle { rule?() ?? PageTitle(crumbs: [title]) }
    package var text: TextBlock { TextBlock(addText) }
    package var wholeText: TextBlock { TextBlock(addWhole ?? addText) }
}

/// A selected entry of a page's text.
enum MarkedEntry: Equatable, Sendable {
    /// A place in the text, or in a list that the user opened: Enter changes nothing that was not on the screen before.
    case place(Int)
    /// An answer that Enter gives: it permits, writes, sends or starts something.
    ///
    /// - Parameter of: what the answers are about, and what each would do.
    case answer(Int, of: [String])

    var entry: Int {
        switch self {
        case .place(let entry), .answer(let entry, _): entry
        }
    }
}

/// The title in the rule above a page.
package struct PageTitle: Equatable, Sendable {
    package struct View: Equatable, Sendable {
        package let title: String
        package let isOpen: Bool
        /// After the title; may be empty.
        package let alert: String
        /// Opens the view.
        package let command: Command
    }

    /// The path from the tab to the current item, such as `Accounts`, `ada@contoso.example`.
    package var crumbs: [String]
    /// The views of the tab, shown after the first crumb if there is room; empty without views.
    package var views: [View] = []
    package var count = ""
    package var alert = ""
    /// Other information: the order, the filter, the position such as `3 of 11`.
    package var note = ""
    /// A title above the details next to a list.
    package var aside = ""

    /// All of it in one line, for faces without a rule.
    package var line: String {
        [crumbs.last ?? "", count].filter { !$0.isEmpty }.joined(separator: " ") + (alert.isEmpty ? "" : ", " + alert)
    }
}

package struct FormField: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case text
        /// One of these, and the index of the current one.
        case choice([String], selected: Int?)
    }

    package let label: String
    package let value: String
    /// Says that there is no value, and what is used then.
    package let unset: String
    package let advice: String
    package let kind: Kind
    /// Whether text other than the choices is accepted.
    package let takesOthers: Bool
}
