import Terminal

/// The keys of the place from which help was asked for, read from its key table.
struct Help: Equatable, Sendable {
    let place: KeyTable.Place
    var scroll = 0

    func sheet(_ state: State, width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        let table = KeyTable.of(place, state.context.keyChanges)
        let room = min(26, width / 2)
        for binding in table.bindings where binding.command != .edit {
            sheet.pair(binding.keyNames(glyphs), .key, binding.help, labelWidth: room)
        }
        if table.takesText {
            sheet.pair(
                "arrows, Home, End, Backspace, Del, Ctrl-U", .key, "edit the text; left and right change a choice",
                labelWidth: room)
        }
        if place == .picker {
            sheet.blank()
            sheet.heading("What the signs say")
            sheet.item(glyphs.full, .ok, "valid: an access token is at hand; nobody is asked")
            sheet.item(glyphs.half, .attention, "refreshable: the provider is asked, you are most likely not")
            sheet.item(glyphs.empty, .danger, "sign-in needed: nothing in the store can be used without you")
        }
        return sheet
    }
}
