package import Identity
package import Keys

/// One part of the interface: a value with its keys and its own update. It knows its own state and a read-only context,
/// not the features around it; it affects them through an ``Action``.
package protocol Feature: Equatable, Sendable {
    /// Key tables for every context of the feature, in the order of the manual.
    ///
    /// - Parameter tools: keys available wherever letters are neither text nor an answer.
    static func keyTables(_ tools: [KeyBinding]) -> [KeyTable]

    var keyContext: KeyContext { get }

    func offers(_ command: Command, in context: Context) -> Bool

    mutating func update(_ event: Event, in context: Context) -> [Action]

    /// The request to cancel when the feature is closed.
    var underWay: RequestID? { get }

    func awaits(_ request: RequestID) -> Bool

    /// Whether a sign-in that was started from here returns here.
    var awaitsSignIn: Bool { get }

    /// The footer's current label for a command; nil for the key table's, empty to leave it out.
    func label(of command: Command, in context: Context) -> String?
    func title(in context: Context) -> String
    /// The title for the rule above the feature.
    func pageTitle(in context: Context) -> PageTitle
    /// The tab it belongs to; nil for a feature on top of another.
    var tab: Tab? { get }
    /// The text; for a list, the details of the selected row.
    func text(in context: Context) -> TextBlock
    /// The full text, for a report and for plain mode.
    func whole(in context: Context) -> TextBlock
    /// Whether it is a list with details of the selected row.
    var isList: Bool { get }
    /// The list in columns; nil without a list, or if each row is a single text.
    func table(in context: Context) -> ListTable?
    /// The list's rows as text, which plain mode prints one at a time; nil without a list, or if plain mode prints all.
    func rows(in context: Context) -> [String]?
    /// Whether a row is a heading, which cannot be selected.
    func isHeading(row: Int) -> Bool
    func selectedRow(in context: Context) -> Int
    /// The noun for a row, or for an entry of the text.
    var rowName: String { get }
    /// Whether the selected row's details are shown instead of the list.
    var isReadingRow: Bool { get }
    /// The selected entry of the text, if entries can be selected.
    var entry: Int? { get }
    /// Values that can be copied to the clipboard, most useful first.
    func copyables(in context: Context) -> [Copyable]
    func canCopy(in context: Context) -> Bool
    /// Values that can be changed before a form is submitted.
    func fields(in context: Context) -> [FormField]
    var prompt: TextPrompt? { get }
    var confirmation: Confirmation? { get }
    var searchScope: SearchScope { get }
    var scroll: Int { get set }
}

package enum Event: Sendable {
    /// A command and the key pressed for it.
    case command(Command, Key)
    /// A key without a command, where it can be text.
    case text(Key)
    case select(Int)
    case fill(Int, String)
    case tick
    case storeChanged
    /// The statuses of some accounts, for the list of accounts.
    case decided(StatusesRequest, [AccountStatus])
    /// The reply to a request that the feature awaits.
    case reply(Reply, RequestID)
    /// The account has just signed in; it may not be in the list yet.
    case signedIn(AccountOverview.ID)
    case removed(AccountOverview.ID)
    case show(AccountOverview.ID)
    /// A program was set up, undone or tested.
    case programsChanged
    /// The sign-in continues with another method.
    case methodChanged(SignInMethod)
}

/// A request of a feature to its surroundings.
package enum Action: Sendable {
    case perform(Effect)
    case notice(String)
    case open(any Feature)
    case replace(any Feature)
    case close
    /// Closes everything above the feature that started a sign-in. If that is the list, shows the account.
    case finish(AccountOverview.ID?)
    /// Opens the page of this command, from anywhere.
    case openPage(Command)
    /// Closes the feature and performs a command of the one below.
    case run(Command)
    /// Like `run`, but the command was not chosen by its name.
    case pass(Command)
    case announce(Event)
    case scroll(Command)
    case moveEntry(Command)
    case showEntry
}

package enum SearchScope: Sendable { case nothing, text, rows }

package struct FormField: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case text
        /// One of these, and the index of the current one.
        case choice([String], selected: Int?)
    }

    package let label: String
    package let value: String
    package let advice: String
    package let kind: Kind
    /// Whether text other than the choices is accepted.
    package let takesOthers: Bool
}

extension Feature {
    package func offers(_ command: Command, in context: Context) -> Bool { true }
    package func label(of command: Command, in context: Context) -> String? { nil }
    package func pageTitle(in context: Context) -> PageTitle { PageTitle(crumbs: [title(in: context)]) }
    package var tab: Tab? { nil }
    package var underWay: RequestID? { nil }
    package func awaits(_ request: RequestID) -> Bool { underWay == request }
    package var awaitsSignIn: Bool { false }
    package func whole(in context: Context) -> TextBlock { text(in: context) }
    package var isList: Bool { false }
    package func table(in context: Context) -> ListTable? { nil }
    package func rows(in context: Context) -> [String]? { nil }
    package func isHeading(row: Int) -> Bool { false }
    package func selectedRow(in context: Context) -> Int { 0 }
    package var rowName: String { "line" }
    package var isReadingRow: Bool { false }
    package var entry: Int? { nil }
    package func copyables(in context: Context) -> [Copyable] { [] }
    package func canCopy(in context: Context) -> Bool { !copyables(in: context).isEmpty }
    package func fields(in context: Context) -> [FormField] { [] }
    package var prompt: TextPrompt? { nil }
    package var confirmation: Confirmation? { nil }
    package var searchScope: SearchScope { .text }
}
