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

    /// The footer's current label for a command; nil for the key table's, empty to leave it out.
    func label(of command: Command, in context: Context) -> String?
    func page(in context: Context) -> Page
    var scroll: Int { get set }

    /// Keeps the cursor on the entry that the next frame shows under it, whatever entries arrive later.
    mutating func hold(in context: Context)
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
    case decided(StatusesRequest, [RowStatus])
    /// The reply to a request that the feature awaits.
    case reply(Reply, RequestID)
    /// The account has just signed in; it may not be in the list yet.
    case signedIn(AccountOverview.ID)
    case removed(AccountOverview.ID)
    case show(AccountOverview.ID)
    /// A program was set up, undone or tested, has requested a token, or its rules have changed.
    case programsChanged
    /// The sign-in continues with another method.
    case methodChanged(SignInMethod)
    /// A client for the sign-in form.
    case clientChosen(ConfiguredClient)
    /// The user has cancelled the sign-in.
    case signInCancelled
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

extension Feature {
    /// None for a feature that uses the keys of others.
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] { [] }
    package func offers(_ command: Command, in context: Context) -> Bool { true }
    package func label(of command: Command, in context: Context) -> String? { nil }
    package var underWay: RequestID? { nil }
    package mutating func hold(in context: Context) {}
    package func awaits(_ request: RequestID) -> Bool { underWay == request }
}

/// A feature that opens from anywhere by its own key, at most once.
protocol GlobalFeature: Feature {
    static var binding: KeyBinding { get }
    /// The new feature and its first actions.
    static func opened(in context: Context) -> (Self, [Action])
}
