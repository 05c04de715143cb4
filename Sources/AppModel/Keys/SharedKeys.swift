// Keys with the same meaning in many tables. If a feature has no use for a common key (arrows and j k, PgUp PgDn, g G,
// Enter, Esc, ? and F1, q, Ctrl-L, Ctrl-Z), it leaves the key out and never gives it another meaning.
import Keys

extension KeyBinding {
    static let editing = [
        KeyBinding(
            [.left, .right, .home, .end, .backspace, .delete, .control("u"), .control("a"), .control("e")], .edit, "",
            "edit the text; left and right change a choice")
    ]

    /// In addition to the keys for editing.
    static let line =
        [
            KeyBinding([.enter], .open, "take", "accept"),
            KeyBinding([.escape], .back, "back", "close the line"),
            KeyBinding([.function(1)], .help, "help", "show keys"),
        ] + editing

    static let search =
        [
            KeyBinding([.enter], .keepSearch, "keep", "keep the matches; n and N go to the next and previous"),
            KeyBinding([.escape], .clearSearch, "end", "end the search"),
            KeyBinding([.function(1)], .help, "help", "show keys"),
        ] + editing

    static let finding = [
        KeyBinding([.character("/")], .search, "", "search for text"),
        KeyBinding([.character("n")], .searchNext, "", "next match"),
        KeyBinding([.character("N")], .searchPrevious, "", "previous match"),
    ]

    /// For lists where letters are text.
    static let arrows = [
        KeyBinding([.up], .up, "", "up"), KeyBinding([.down], .down, "", "down"),
        KeyBinding([.pageUp], .pageUp, "", "page up"), KeyBinding([.pageDown], .pageDown, "", "page down"),
    ]

    static let scrolling = moving("to the beginning", "to the end")
    static let listing = moving("first row", "last row")

    private static func moving(_ toFirst: String, _ toLast: String) -> [KeyBinding] {
        [
            KeyBinding([.up, .character("k")], .up, "", "up"),
            KeyBinding([.down, .character("j")], .down, "", "down"),
            KeyBinding([.pageUp, .control("b")], .pageUp, "", "page up"),
            KeyBinding([.pageDown, .control("f")], .pageDown, "", "page down"),
            KeyBinding([.control("u")], .halfUp, "", "half a page up"),
            KeyBinding([.control("d")], .halfDown, "", "half a page down"),
            KeyBinding([.home, .character("g")], .first, "", toFirst),
            KeyBinding([.end, .character("G")], .last, "", toLast),
        ]
    }

    static let otherButton = KeyBinding(
        [.left, .right, .tab, .backTab, .character("h"), .character("l")], .moveButton, "", "other button")

    static let copyID = KeyBinding(
        [.character("c")], .copy, "copy id", "copy the correlation id, for the provider's support")

    static let closing = [
        KeyBinding([.escape, .character("q")], .back, "back", "back; cancels what is running"),
        KeyBinding([.character("?"), .function(1)], .help, "help", "show keys"),
    ]

    package static let everywhere = [
        KeyBinding([.control("l")], .redraw, "", "redraw the screen"),
        KeyBinding([.control("z")], .suspend, "", "suspend"),
        KeyBinding([.control("c")], .quit, "", "quit immediately"),
    ]

    /// For lists that are filtered by typing.
    static func filtering(_ tools: [KeyBinding]) -> [KeyBinding] {
        listing + [KeyBinding([.character("/")], .filter, "filter", "filter by words or conditions")] + tools
    }

    /// For features with text to read.
    static func reading(_ tools: [KeyBinding]) -> [KeyBinding] { scrolling + finding + tools }
}
