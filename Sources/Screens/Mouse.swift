package import AppModel
package import Keys
package import Terminal

// From a mouse event to a message: a click on a key or answer performs it, elsewhere it selects. A double click acts
// as Enter, and the wheel as three presses of an arrow key.
extension AppState {
    /// - Parameter glyphs: the glyphs of the drawn screen.
    /// - Returns: empty for a key without effect on this screen.
    package func messages(for key: Key, size: Size, glyphs: Glyphs = .utf8) -> [Message] {
        // An unreadable screen must not be operated: a key could answer a question that is not visible.
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
            // A click must not type text, or a key without effect.
            return offered.contains { $0.keys.contains(key) } ? [.key(key)] : []
        }
        let view = Views.of(top, in: context)
        let layout = view.layout(size: size, glyphs: glyphs)
        if let answer = layout.buttons.firstIndex(where: { $0.contains(pointer.place) }) {
            return [.select(answer), .command(.open)]
        }
        guard let target = view.target(at: pointer.place, size: size) else { return [] }
        // A double click must not submit a form: only Enter does.
        let opens = pointer.action == .doubleClick && view.isActivatedByDoubleClick
        return opens ? [.select(target), .command(.open)] : [.select(target)]
    }

    private func wheel(_ command: Command) -> [Message] {
        // In the command line, up and down move through its history.
        top is CommandPalette ? [] : Array(repeating: .command(command), count: 3)
    }
}
