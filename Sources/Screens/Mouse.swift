package import AppModel
package import Keys
package import Terminal

// From a mouse event to a message: a click marks, a double click does what Enter does, the wheel moves as three
// presses of an arrow would.
extension AppState {
    /// - Returns: none for a key that means nothing on this screen.
    package func messages(for key: Key, size: Size) -> [Message] {
        // A screen that cannot be read must not be operated: a key would answer a question that nobody sees.
        guard !ScreenArea.isTooSmall(size) else {
            return KeyBinding.everywhere.contains { $0.keys.contains(key) } ? [.key(key)] : []
        }
        guard case .mouse(let pointer) = key else { return [.key(key)] }
        let view = Views.of(top)
        let target = view.target(at: pointer.place, in: context, size: size)
        switch pointer.action {
        case .wheelUp: return wheel(.up)
        case .wheelDown: return wheel(.down)
        case .click: return target.map { [.select($0)] } ?? []
        case .doubleClick:
            // A double click would send a form: that is for Enter alone.
            return target.map { view.isActivatedByDoubleClick ? [.select($0), .command(.open)] : [.select($0)] } ?? []
        }
    }

    private func wheel(_ command: Command) -> [Message] {
        // In the command line up and down mean its history.
        top is CommandPalette ? [] : Array(repeating: .command(command), count: 3)
    }
}
