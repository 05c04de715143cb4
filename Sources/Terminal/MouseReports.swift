import Keys

/// Mouse reports of terminals: buttons and the wheel.
enum MouseReports {
    /// `ESC [ <`, button, column and row, and `M` for a press or `m` for a release (xterm mode 1006). Positions count
    /// from one.
    static func mouseEvent(_ parameters: Substring, final: UInt32) -> MouseEvent? {
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { UInt16($0) }
        guard final == 0x4D, numbers.count == 3, let button = numbers[0], let column = numbers[1], let row = numbers[2]
        else { return nil }
        return mouseEvent(button: Int(button), column: Int(column), row: Int(row))
    }

    /// `ESC [ M` and three characters, each 32 above its number (mode 1000, without 1006).
    static func mouseEvent(button: UInt32, column: UInt32, row: UInt32) -> MouseEvent? {
        guard button >= 32, (33...255).contains(column), (33...255).contains(row) else { return nil }
        return mouseEvent(button: Int(button) - 32, column: Int(column) - 32, row: Int(row) - 32)
    }

    /// Bits 2 to 4 of the button are modifiers, which are ignored; 32 is a movement, 64 the wheel. In the old form,
    /// button 3 is a release.
    private static func mouseEvent(button: Int, column: Int, row: Int) -> MouseEvent? {
        guard column >= 1, row >= 1 else { return nil }
        let place = Position(row: row - 1, column: column - 1)
        switch button & ~0b1_1100 {
        case 0: return MouseEvent(.click, at: place)
        case 64: return MouseEvent(.wheelUp, at: place)
        case 65: return MouseEvent(.wheelDown, at: place)
        default: return nil
        }
    }
}
