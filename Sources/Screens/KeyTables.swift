import Explain
import Identity
import Terminal

// The key tables as data. Where a screen has no use for a key that operators expect (arrows and j k, PgUp PgDn, g G,
// Enter, Esc, ? and F1, q, Ctrl-L, Ctrl-Z), it is left out and never given another meaning.
extension KeyTable {
    package static func of(_ place: Place) -> KeyTable {
        switch place {
        case .picker: KeyTable(place: place, title: "Accounts", bindings: picker + tools + everywhere)
        case .filter: KeyTable(place: place, title: "Filter", bindings: filter + everywhere)
        case .form: KeyTable(place: place, title: "Sign in: the form", bindings: form + everywhere)
        case .progress:
            KeyTable(place: place, title: "Sign in: waiting", bindings: progress + reading + closing + everywhere)
        case .paste: KeyTable(place: place, title: "Sign in: paste the answer", bindings: paste + everywhere)
        case .question: KeyTable(place: place, title: "Sign in: answer the provider", bindings: question + everywhere)
        case .inspector: KeyTable(place: place, title: "Tokens", bindings: inspector + finding + tools + everywhere)
        case .tokenDetails:
            KeyTable(
                place: place, title: "One token", bindings: looks + secrets + exporting + reading + closing + everywhere
            )
        case .scopes: KeyTable(place: place, title: "Scopes", bindings: consent + reading + closing + everywhere)
        case .line: KeyTable(place: place, title: "A line to type", bindings: line + everywhere)
        case .acquisition:
            KeyTable(place: place, title: "A token", bindings: acquisition + reading + closing + everywhere)
        case .dialog: KeyTable(place: place, title: "Remove or sign out?", bindings: dialog + scrolling + everywhere)
        case .departure:
            KeyTable(place: place, title: "Removed or signed out", bindings: departure + reading + closing + everywhere)
        case .help: KeyTable(place: place, title: "Help", bindings: reading + helpClosing + everywhere)
        case .themes:
            KeyTable(place: place, title: "Themes", bindings: themes + scrolling + tools + closing + everywhere)
        case .settings:
            KeyTable(place: place, title: "Settings", bindings: settings + scrolling + tools + closing + everywhere)
        case .palette: KeyTable(place: place, title: "Commands", bindings: palette + everywhere)
        case .search: KeyTable(place: place, title: "Search in a text", bindings: search + everywhere)
        case .activity: KeyTable(place: place, title: "Activity", bindings: activity + reading + closing + everywhere)
        case .activityDetails:
            KeyTable(place: place, title: "Activity: one entry", bindings: correlation + reading + closing + everywhere)
        case .stores:
            KeyTable(place: place, title: "Stores", bindings: stores + permissions + reading + closing + everywhere)
        case .storeDetails:
            KeyTable(place: place, title: "One store", bindings: permissions + reading + closing + everywhere)
        case .doctor: KeyTable(place: place, title: "Doctor", bindings: doctor + reading + closing + everywhere)
        }
    }

    private static let hasRow: @Sendable (State) -> Bool = { $0.selectedAccount != nil }
    private static let mayWrite: @Sendable (State) -> Bool = { !$0.context.isReadOnly }
    private static let mayChange: @Sendable (State) -> Bool = { !$0.context.isReadOnly && $0.selectedAccount != nil }
    /// The selected account is in foyer's own store, not in another program's.
    private static let isOwn: @Sendable (State) -> Bool = { mayChange($0) && $0.selectedAccount?.store == nil }
    private static let hasClients: @Sendable (State) -> Bool = { $0.picker.clients.count > 1 }

    private static let picker = [
        KeyBinding(
            [.enter], .open, "token",
            "a token for the account, silently, step by step; of another program's account the tokens",
            when: mayChange),
        KeyBinding([.character("a")], .signIn, "sign in", "sign in, with a new account or again", when: mayWrite),
        KeyBinding([.character("/")], .filter, "filter", "filter by name, username, tenant, client or identifier"),
        KeyBinding([.character("i")], .inspect, "tokens", "the account's tokens and what is in them", when: hasRow),
        KeyBinding([.character("s")], .scopes, "scopes", "what each client was granted", when: hasRow),
        KeyBinding([.character("p")], .pasteToken, "", "paste any token to look at it; nothing of it is kept"),
        KeyBinding(
            [.character("x")], .remove, "remove",
            "remove the account, or all that are marked, from one client here; asks first",
            when: mayChange),
        KeyBinding(
            [.character("o")], .signOut, "sign out",
            "revoke, remove and end the browser session, of one or all that are marked; asks first", when: mayChange),
        KeyBinding(
            [.character("t")], .cycleClient, "client", "show one client's accounts, the next one, all", when: hasClients
        ),
        KeyBinding(
            [.character("S")], .cycleSorting, "sort",
            "sort by what is used most, by name, by last use, by what ends first", when: hasRow),
        KeyBinding(
            [.character("z")], .cycleGrouping, "group", "group by cloud, by tenant, by client, by store, not at all",
            when: hasRow),
        KeyBinding(
            [.character(" ")], .mark, "", "mark the account for removing or signing out several, or take the mark away",
            when: isOwn),
        KeyBinding([.character("v")], .markRange, "", "mark all from the last mark to here", when: isOwn),
        KeyBinding([.character("U")], .unmark, "unmark", "take every mark away", when: { !$0.picker.marked.isEmpty }),
        KeyBinding([.character("r")], .reload, "reload", "read the store again"),
        KeyBinding([.up, .character("k")], .up, "", "up", when: hasRow),
        KeyBinding([.down, .character("j")], .down, "", "down", when: hasRow),
        KeyBinding([.pageUp, .control("b")], .pageUp, "", "a page up", when: hasRow),
        KeyBinding([.pageDown, .control("f")], .pageDown, "", "a page down", when: hasRow),
        KeyBinding([.control("u")], .halfUp, "", "half a page up", when: hasRow),
        KeyBinding([.control("d")], .halfDown, "", "half a page down", when: hasRow),
        KeyBinding([.home, .character("g")], .first, "", "to the first", when: hasRow),
        KeyBinding([.end, .character("G")], .last, "", "to the last", when: hasRow),
        KeyBinding(
            [.escape], .clearFilter, "all", "clear the filter, show every client", when: { $0.picker.isNarrowed }),
        KeyBinding([.character("q")], .quit, "quit", "quit"),
        KeyBinding([.character("?"), .function(1)], .help, "help", "these keys"),
    ]

    private static let filter =
        [
            KeyBinding([.enter], .keepFilter, "keep", "keep the filter and go to the list"),
            KeyBinding([.escape], .clearFilter, "clear", "clear the filter"),
            KeyBinding([.up], .up, "", "up"),
            KeyBinding([.down], .down, "", "down"),
            KeyBinding([.pageUp], .pageUp, "", "a page up"),
            KeyBinding([.pageDown], .pageDown, "", "a page down"),
            KeyBinding([.function(1)], .help, "help", "these keys"),
        ] + editing

    private static let form =
        [
            KeyBinding([.enter], .start, "sign in", "start the sign-in"),
            KeyBinding([.tab, .down], .nextField, "next", "to the next field"),
            KeyBinding([.backTab, .up], .previousField, "", "to the field before"),
            KeyBinding([.escape], .back, "back", "back to the accounts"),
            KeyBinding([.function(1)], .help, "help", "these keys"),
        ] + editing

    private static let editing = [
        KeyBinding(
            [.left, .right, .home, .end, .backspace, .delete, .control("u"), .control("a"), .control("e")], .edit, "",
            "edit the text; left and right change a choice")
    ]

    private static let progress = [
        KeyBinding(
            [.enter], .open, "go on", "go on: to the account, or try again", when: { $0.progress?.isWaiting == false }),
        KeyBinding(
            [.character("c")], .copy, "copy",
            "copy the code, the address, or after a failure the correlation identifier",
            when: { $0.progress?.copyable != nil || $0.progress?.correlationID != nil }),
        KeyBinding(
            [.character("b")], .openBrowser, "browser", "open the address in a browser here",
            when: { $0.progress?.address != nil }),
        KeyBinding(
            [.character("p")], .paste, "paste", "paste the address that the browser ended at, or the code",
            when: { $0.progress?.takesPaste == true }),
        KeyBinding(
            [.character("m")], .switchMethod, "other method", "give this up and start with the next method",
            when: {
                $0.progress.map { $0.isWaiting || [.cancelled, .timedOut, .offline, .refused].contains($0.end) }
                    ?? false
            }),
        KeyBinding(
            [.character("a")], .askConsent, "ask again", "ask for consent again, for what was declined",
            when: { $0.progress?.end == .declined }),
    ]

    private static let question =
        [
            KeyBinding([.enter], .open, "answer", "send the answer"),
            KeyBinding([.function(2)], .openBrowser, "browser", "go on in a browser instead"),
            KeyBinding([.up], .up, "", "to the choice before"),
            KeyBinding([.down], .down, "", "to the next choice"),
            KeyBinding([.escape], .back, "give up", "give the sign-in up"),
            KeyBinding([.function(1)], .help, "help", "these keys"),
        ] + editing

    private static let paste =
        [
            KeyBinding([.enter], .open, "send", "take the pasted address or code"),
            KeyBinding([.escape], .back, "back", "close the input"),
            KeyBinding([.function(1)], .help, "help", "these keys"),
        ] + editing

    private static let inspector =
        [
            KeyBinding([.enter, .right, .character("l")], .open, "read", "read the token's details")
        ] + looks + secrets + [
            KeyBinding([.up, .character("k")], .up, "", "up"),
            KeyBinding([.down, .character("j")], .down, "", "down"),
            KeyBinding([.pageUp, .control("b")], .pageUp, "", "a page up"),
            KeyBinding([.pageDown, .control("f")], .pageDown, "", "a page down"),
            KeyBinding([.control("u")], .halfUp, "", "half a page up"),
            KeyBinding([.control("d")], .halfDown, "", "half a page down"),
            KeyBinding([.home, .character("g")], .first, "", "to the first"),
            KeyBinding([.end, .character("G")], .last, "", "to the last"),
            KeyBinding([.character("s")], .scopes, "scopes", "what each client was granted"),
        ] + exporting + closing

    private static let looks = [
        KeyBinding([.tab], .nextView, "view", "claims, times, raw, the entry in the store: one after the other"),
        KeyBinding([.character(" ")], .choose, "", "mark the token, to compare another one with it"),
        KeyBinding(
            [.character("d")], .difference, "compare",
            """
            what the token says and the marked one does not
            """, when: hasMark),
        KeyBinding([.character("p")], .pasteToken, "paste", "paste any token to look at it; nothing of it is kept"),
    ]

    private static let hasMark: @Sendable (State) -> Bool = { $0.inspectorScreen?.marked != nil }
    private static let hasClaims: @Sendable (State) -> Bool = { state in
        state.inspectorScreen.flatMap(state.chosen).flatMap(state.decoded) != nil
    }

    private static let exporting = [
        KeyBinding([.character("E")], .export, "", "write header and claims as JSON into a file", when: hasClaims),
        KeyBinding(
            [.character("C")], .copyClaims, "", "hand header and claims as JSON to the clipboard", when: hasClaims),
    ]

    private static let secrets = [
        KeyBinding(
            [.character("v")], .verify, "verify", "fetch the issuer's keys and check the signature", when: hasClaims),
        KeyBinding([.character("R")], .reveal, "", "show the token itself for ten seconds, or hide it"),
        KeyBinding([.character("Y")], .copySecret, "", "hand the token itself to the clipboard"),
    ]

    private static let line =
        [
            KeyBinding([.enter], .open, "take", "take what was typed or pasted"),
            KeyBinding([.escape], .back, "back", "close the line"),
            KeyBinding([.function(1)], .help, "help", "these keys"),
        ] + editing

    private static let hasChoices: @Sendable (State) -> Bool = { state in
        state.scopesScreen.map {
            $0.comparison == nil && state.overview(of: $0.account).map { $0.store == nil } ?? false
        } ?? false
    }
    private static let mayAsk: @Sendable (State) -> Bool = { !$0.context.isReadOnly && hasChoices($0) }

    private static let consent = [
        KeyBinding([.character(" ")], .choose, "choose", "choose the scope, or not", when: mayAsk),
        KeyBinding([.character("a")], .ask, "ask", "ask for what is chosen: a sign-in with these scopes", when: mayAsk),
        KeyBinding([.character("+")], .typeScope, "type", "type scopes that are not in the list", when: mayAsk),
        KeyBinding([.character("m")], .more, "more", "show what else could be asked for, or hide it", when: hasChoices),
        KeyBinding([.character("c")], .compare, "compare", "compare with another client, the next one, none"),
        KeyBinding(
            [.character("b")], .openBrowser, "take back", "open the page where consent is taken back",
            when: { state in
                state.scopesScreen.flatMap { state.overview(of: $0.account) }.map {
                    ConsentPage.of($0.account).address != nil
                } ?? false
            }),
    ]

    private static let acquisition = [
        KeyBinding(
            [.enter], .open, "go on", "close, or sign in when that is the answer",
            when: { $0.acquisition?.isWaiting == false }),
        KeyBinding(
            [.character("a")], .signIn, "sign in", "sign in with what the provider asks for",
            when: { $0.acquisition?.needsPerson == true }),
        KeyBinding(
            [.character("f")], .renew, "new token", "ask the provider for a new access token",
            when: { $0.acquisition?.isWaiting == false }),
        KeyBinding(
            [.character("c")], .copy, "copy id", "copy the correlation identifier, which a provider's support asks for",
            when: { $0.acquisition?.correlationID != nil }),
    ]

    private static let dialog = [
        KeyBinding([.enter, .character(" ")], .open, "choose", "do what the marked button says"),
        KeyBinding([.character("y")], .yes, "yes", "do it"),
        KeyBinding(
            [.character("w")], .toggleWipe, "", "from every client, or from this one only",
            when: { $0.top?.otherStore == nil }),
        KeyBinding(
            [.character("r")], .toggleAccessTokens, "", "revoke access tokens one by one as well, or not",
            when: { $0.asksSignOut }),
        KeyBinding(
            [.character("b")], .toggleSession, "", "end the browser's session, or leave it", when: { $0.asksSignOut }),
        KeyBinding([.character("n"), .escape, .character("q")], .no, "no", "leave everything as it is"),
        KeyBinding(
            [.left, .right, .tab, .backTab, .character("h"), .character("l")], .moveButton, "", "to the other button"),
        KeyBinding(
            [.character("t")], .cycleClient, "client", "another client of the account",
            when: { ($0.dialog?.clients.count ?? 0) > 1 }),
        KeyBinding([.character("?"), .function(1)], .help, "help", "these keys"),
    ]

    private static let departure = [
        KeyBinding(
            [.enter], .back, "close", "close", when: { $0.departure?.isWaiting == false || $0.group?.stage == .over }),
        KeyBinding(
            [.character("b")], .openBrowser, "browser", "open the page that ends the browser's session",
            when: { $0.departure?.endSessionPage != nil }),
    ]

    private static let themes = [KeyBinding([.enter], .open, "keep", "keep this theme")]

    private static let hasCorrelation: @Sendable (State) -> Bool = { state in
        state.activityScreen.flatMap { state.entry($0)?.correlationID } != nil
    }

    private static let correlation = [
        KeyBinding(
            [.character("c")], .copy, "copy id", "copy the correlation identifier, which a provider's support asks for",
            when: hasCorrelation)
    ]

    private static let activity =
        [
            KeyBinding(
                [.enter, .right, .character("l")], .open, "steps", "read the entry's steps",
                when: { !$0.activity.entries.isEmpty })
        ] + correlation

    private static let doctor = [
        KeyBinding(
            [.character("r")], .reload, "again", "examine everything again", when: { $0.doctor?.isWaiting == false })
    ]

    private static let stores = [
        KeyBinding(
            [.enter, .right, .character("l")], .open, "details", "what was found there, and why it is or is not usable",
            when: { $0.storesScreen?.marked != nil }),
        KeyBinding([.character("m")], .more, "more", "the places where nothing is as well, or not"),
        KeyBinding([.character("r")], .reload, "again", "look again", when: { $0.storesScreen?.isWaiting == false }),
    ]

    private static let isOthers: @Sendable (State) -> Bool = { state in
        state.storesScreen.map { !$0.isWaiting && $0.marked.map { !$0.isOwn } ?? false } ?? false
    }

    private static let permissions = [
        KeyBinding([.character(" ")], .showInPicker, "show", "its accounts are in the list, or not", when: isOthers),
        KeyBinding(
            [.character("w")], .allowWriting, "writing", "foyer may remove accounts from it, or only reads it",
            when: isOthers),
    ]

    private static let settings = [
        KeyBinding(
            [.enter, .character(" ")], .open, "change", "change the setting and write it into the settings file")
    ]

    private static let palette =
        [
            KeyBinding([.enter], .open, "run", "run the marked command"),
            KeyBinding([.tab], .nextField, "complete", "write the marked name; again, the next one's"),
            KeyBinding([.backTab], .previousField, "", "the name before"),
            KeyBinding([.up, .control("p")], .up, "before", "what was run before"),
            KeyBinding([.down, .control("n")], .down, "", "what was run after that"),
            KeyBinding([.pageUp], .pageUp, "", "up in the list"),
            KeyBinding([.pageDown], .pageDown, "", "down in the list"),
            KeyBinding([.escape], .back, "back", "close the command line"),
            KeyBinding([.function(1)], .help, "help", "these keys"),
        ] + editing

    private static let search =
        [
            KeyBinding([.enter], .keepSearch, "keep", "keep what was found; n and N go to the next and the one before"),
            KeyBinding([.escape], .clearSearch, "end", "end the search"),
            KeyBinding([.function(1)], .help, "help", "these keys"),
        ] + editing

    private static let isFound: @Sendable (State) -> Bool = { $0.activeSearch != nil }

    /// Where there is text to be read.
    private static let reading = scrolling + finding + tools

    private static let finding = [
        KeyBinding([.character("/")], .search, "", "look for text"),
        KeyBinding([.character("n")], .searchNext, "", "to the next place where it stands", when: isFound),
        KeyBinding([.character("N")], .searchPrevious, "", "to the place before", when: isFound),
    ]

    /// Wherever letters are no text and no answer.
    private static let tools = [
        KeyBinding([.character(":")], .palette, "", "run a command by its name"),
        KeyBinding(
            [.character("A")], .activity, "",
            "what was asked for in this session, with steps and correlation identifiers"),
        KeyBinding([.character("!")], .doctor, "", "examine settings, store, terminal, browser, network and clock"),
        KeyBinding([.character(",")], .settings, "", "what is set, and by whom"),
        KeyBinding(
            [.character("W")], .stores, "", "where programs keep tokens on this machine, and which of it is used"),
        KeyBinding([.character("T")], .themes, "", "try the themes and keep one"),
        KeyBinding([.character("%")], .toggleMouse, "", "take the mouse, or leave it to the terminal"),
    ]

    private static let scrolling = [
        KeyBinding([.up, .character("k")], .up, "", "up"),
        KeyBinding([.down, .character("j")], .down, "", "down"),
        KeyBinding([.pageUp, .control("b")], .pageUp, "", "a page up"),
        KeyBinding([.pageDown, .control("f")], .pageDown, "", "a page down"),
        KeyBinding([.control("u")], .halfUp, "", "half a page up"),
        KeyBinding([.control("d")], .halfDown, "", "half a page down"),
        KeyBinding([.home, .character("g")], .first, "", "to the beginning"),
        KeyBinding([.end, .character("G")], .last, "", "to the end"),
    ]

    private static let closing = [
        KeyBinding([.escape, .character("q")], .back, "back", "back; gives up what is under way"),
        KeyBinding([.character("?"), .function(1)], .help, "help", "these keys"),
    ]

    private static let helpClosing = [
        KeyBinding([.escape, .character("q"), .enter, .character("?"), .function(1)], .back, "back", "close the help")
    ]

    static let everywhere = [
        KeyBinding([.control("l")], .redraw, "", "draw the screen anew"),
        KeyBinding([.control("z")], .suspend, "", "suspend"),
        KeyBinding([.control("c")], .quit, "", "quit at once"),
    ]
}
