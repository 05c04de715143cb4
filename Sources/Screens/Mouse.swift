package import AppModel
package import Keys
package import Terminal

// From a mouse event to a message: a click on a key or an answer does what it says, elsewhere it marks; a double click
// does what Enter does, the wheel moves as three presses of an arrow would.
extension AppState {
    /// - Parameter glyphs: what the picture that was clicked on is made of.
    /// - Returns: none for a key that means nothing on this screen.
    package func messages(for key: Key, size: Size, glyphs: Glyphs = .utf8) -> [Message] {
        // A screen that cannot be read must not be operated: a key would answer a question that nobody sees.
        guard !ScreenArea.isTooSmall(size) else {
            return KeyBinding.everywhere.contains { $0.keys.contains(key) } ? [.key(key)] : []
        }
        guard case .mouse(let pointer) = key else { return [.key(key)] }
        switch pointer.action {
        case .wheelUp: return wheel(.up)
        case .wheelDown: return wheel(.down)
        case .click, .doubleClick: return click(pointer, size, glyphs)
        }
    }

    private func click(_ pointer: MouseEvent, _ size: Size, _ glyphs: Glyphs) -> [Message] {
        if let key = Screens.view(self, size: size, glyphs: glyphs).key(at: pointer.place) {
            // Where the key is text, or means nothing now, a click types nothing.
            return offered.contains { $0.keys.contains(key) } ? [.key(key)] : []
        }
        let view = Views.of(top)
        let layout = view.layout(in: context, size: size, glyphs: glyphs)
        if let answer = layout.buttons.firstIndex(where: { $0.contains(pointer.place) }) {
            return [.select(answer), .command(.open)]
        }
        guard let target = view.target(at: pointer.place, in: context, size: size) else { return [] }
        // A double click would send a form: that is for Enter alone.
        let opens = pointer.action == .doubleClick && view.isActivatedByDoubleClick
        return opens ? [.select(target), .command(.open)] : [.select(target)]
    }

    private func wheel(_ command: Command) -> [Message] {
        // In the command line up and down mean its history.
        top is CommandPalette ? [] : Array(repeating: .command(command), count: 3)
    }
}
