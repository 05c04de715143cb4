package import Identity
package import Keys

/// One thing that the program shows and does: a value with its keys and its own update. It knows its own state and a
/// read-only context, nothing of the features around it: what it wants of them it says by an ``Action``.
package protocol Feature: Equatable, Sendable {
    /// Its keys in every context that it has, in the order of the manual.
    ///
    /// - Parameter tools: the keys that work wherever letters are no text and no answer.
    static func keyTables(_ tools: [KeyBinding]) -> [KeyTable]

    /// Which of its contexts the keys go to now.
    var keyContext: KeyContext { get }

    /// Whether a command of that context can be carried out now.
    func offers(_ command: Command, in context: Context) -> Bool

    mutating func update(_ event: Event, in context: Context) -> [Action]

    /// The request that is cancelled when the feature is closed.
    var underWay: RequestID? { get }

    /// Whether the reply to this request belongs here.
    func awaits(_ request: RequestID) -> Bool

    /// Whether a sign-in that was begun from here ends here.
    var awaitsSignIn: Bool { get }

    // What it shows.

    /// What the footer calls a command now; nil where its key table says it, empty where it is left out.
    func label(of command: Command, in context: Context) -> String?
    func title(in context: Context) -> String
    /// Where one is, for the rule above the feature.
    func pageTitle(in context: Context) -> PageTitle
    /// The view that it belongs to; nil for what lies on another.
    var tab: Tab? { get }
    /// The text: of a list, what is to be read of the marked row.
    func text(in context: Context) -> TextBlock
    /// All of it in one text, for a report and for a face of lines.
    func whole(in context: Context) -> TextBlock
    /// Whether it is a list, with the text of the marked row.
    var isList: Bool { get }
    /// The list in columns; nil where there is no list, or each row of it is one text.
    func table(in context: Context) -> ListTable?
    /// The list's rows as text, of which a face of lines tells one at a time; nil where there is no list, or all of it
    /// is told.
    func rows(in context: Context) -> [String]?
    /// Whether a row is a heading of those below it, which cannot be chosen.
    func isHeading(row: Int) -> Bool
    func selectedRow(in context: Context) -> Int
    /// What a row, or an entry of the text, is.
    var rowName: String { get }
    /// Whether the text of the marked row is read instead of the list.
    var isReadingRow: Bool { get }
    /// The marked entry of the text, where entries can be marked.
    var entry: Int? { get }
    /// What of it can be put on the clipboard, the first what is wanted most.
    func copyables(in context: Context) -> [Copyable]
    /// Whether there is anything of that.
    func canCopy(in context: Context) -> Bool
    /// Values that can be changed before it is sent off.
    func fields(in context: Context) -> [FormField]
    /// The line that is being typed.
    var prompt: TextPrompt? { get }
    /// The question that waits for its answer.
    var confirmation: Confirmation? { get }
    /// Where text is looked for.
    var searchScope: SearchScope { get }
    /// The first row of the text that is seen.
    var scroll: Int { get set }
}

/// What happens to a feature.
package enum Event: Sendable {
    /// A command of its keys, and the key that was pressed for it.
    case command(Command, Key)
    /// A key that no command has taken, where it can be text.
    case text(Key)
    case select(Int)
    case fill(Int, String)
    case tick
    /// The accounts in the context are new.
    case storeChanged
    /// How some accounts stand, for the list of them.
    case decided(StandingsRequest, [AccountStatus])
    /// The reply to a request that it awaits.
    case reply(Reply, RequestID)
    /// The account is signed in since a moment ago; it may not be in the list yet.
    case signedIn(AccountOverview.ID)
    /// What was to be removed of the account is gone.
    case removed(AccountOverview.ID)
    /// The account is to be looked at.
    case show(AccountOverview.ID)
    /// A program was set up, or that was taken back, or it was tried.
    case programsChanged
    /// The sign-in goes on by another method.
    case methodChanged(SignInMethod)
}

/// What a feature wants to happen around it.
package enum Action: Sendable {
    case perform(Effect)
    case notice(String)
    case open(any Feature)
    /// Takes the place of the feature that says so.
    case replace(any Feature)
    case close
    /// Closes everything down to what a sign-in was begun from; shows the account where that is the list.
    case finish(AccountOverview.ID?)
    /// Opens the page that has this command, from wherever.
    case openPage(Command)
    /// Closes the feature and carries out a command of the one below.
    case run(Command)
    /// The same, when it was not chosen by its name.
    case pass(Command)
    /// Tells every feature.
    case announce(Event)
    case scroll(Command)
    /// Moves the mark from entry to entry of the text.
    case moveEntry(Command)
    /// Scrolls so far that the marked entry is seen.
    case showEntry
}

/// Where a search looks.
package enum SearchScope: Sendable { case nothing, text, rows }

/// A value of a form.
package struct FormField: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case text
        /// One of these, and the place of the present one.
        case choice([String], selected: Int?)
    }

    package let label: String
    package let value: String
    package let advice: String
    package let kind: Kind
    /// Whether a text that is none of the choices is taken, too.
    package let takesOthers: Bool
}

extension Feature {
    package func offers(_ command: Command, in context: Context) -> Bool { true }
    package func label(of command: Command, in context: Context) -> String? { nil }
    package func pageTitle(in context: Context) -> PageTitle { PageTitle([title(in: context)]) }
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
