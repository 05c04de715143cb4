import CNcurses
import Keys

extension Key {
    /// The key for an ncurses code; nil for unused ones (mouse, resize, resume, …).
    init?(ncurses code: UInt32) {
        guard let code = Int32(exactly: code) else { return nil }
        let number = foyer_function_key(code)
        if number > 0 {
            self = .function(Int(number))
            return
        }
        switch code {
        case KEY_UP, KEY_SR: self = .up
        case KEY_DOWN, KEY_SF: self = .down
        case KEY_LEFT, KEY_SLEFT: self = .left
        case KEY_RIGHT, KEY_SRIGHT: self = .right
        case KEY_HOME, KEY_SHOME, KEY_A1, KEY_FIND: self = .home
        case KEY_END, KEY_SEND, KEY_C1, KEY_SELECT: self = .end
        case KEY_PPAGE, KEY_A3, KEY_SPREVIOUS: self = .pageUp
        case KEY_NPAGE, KEY_C3, KEY_SNEXT: self = .pageDown
        case KEY_DC, KEY_SDC: self = .delete
        case KEY_IC, KEY_SIC: self = .insert
        case KEY_BACKSPACE: self = .backspace
        case KEY_ENTER: self = .enter
        case KEY_BTAB: self = .backTab
        default: return nil
        }
    }
}

extension LineDrawing {
    var ncursesPiece: Int32 {
        switch self {
        case .horizontal: 0
        case .vertical: 1
        case .topLeft: 2
        case .topRight: 3
        case .bottomLeft: 4
        case .bottomRight: 5
        case .teeLeft: 6
        case .teeRight: 7
        case .teeTop: 8
        case .teeBottom: 9
        case .cross: 10
        }
    }
}
