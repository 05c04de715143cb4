import CNcurses
import CProcess
import Console
import Glibc
package import Keys

/// The terminal, and the only owner of ncurses: everything is on the main actor, and nothing else prints while it is
/// open.
///
/// It draws a `Grid` by writing what changed since the last one, and reads keys without waiting; `TerminalEvents` says
/// when there is something to read. Close it before the process ends; when that cannot be, `TerminalGuard` gives the
/// terminal back.
@MainActor
package final class NcursesTerminal {
    package private(set) var size: Size
    /// The signs this terminal can show.
    package let glyphs: Glyphs
    /// Whether the terminal keeps the screen apart from the scroll-back: without, secrets stay readable after the end.
    package let hasAlternateScreen: Bool
    /// What is to be said when it is taken for an xterm because the system does not know its type.
    package let substitution: String?
    /// Numbers of colours the terminal has, 0 without or when none are wanted.
    package let colors: Int

    private var screen: OpaquePointer?
    private var colorPairs: ColorPairs
    private var decoder: InputDecoder
    private var shown: Grid?
    private var isAway = false
    private var showsCursor: Bool?
    private var isMouseOurs = false

    /// How many reads are made in one go: a flood of input must not keep the screen from being drawn.
    private static let mostReads = 70_000

    /// What nearly every terminal of today understands, and nearly every system knows.
    private static let commonType = "xterm-256color"

    /// Takes the terminal. One of a type that is not known here is asked whether it is one; only one that answers is
    /// taken, as an xterm. `wantsColor` is false for `NO_COLOR` and `--no-color`; `wantsASCII` for a person who asks
    /// for it.
    package init(theme: Theme, wantsColor: Bool = true, wantsASCII: Bool = false) throws(TerminalError) {
        guard ProcessGuard.isTerminal else { throw .notATerminal }
        let type = Self.environment("TERM") ?? ""
        guard !type.isEmpty else { throw .noTerminalType }
        guard type.utf8.count <= 128 else { throw .unknownTerminalType(type) }
        guard type != "dumb", type != "unknown" else { throw .incapableTerminal(type) }
        let asked = Self.environment("LC_ALL") ?? Self.environment("LC_CTYPE") ?? Self.environment("LANG")
        let isUTF8 = foyer_take_locale(asked)
        guard TerminalGuard.remember() else { throw .notATerminal }

        let isSane = Self.windowSizeIsSane()
        var opened = foyer_open(&screen, nil, isSane)
        var substitution: String?
        if opened == foyer_open_unknown_terminal, DeviceAttributes.areAnswered() {
            opened = foyer_open(&screen, Self.commonType, isSane)
            substitution = "TERM=\(SafeText.line(type, limit: 40)) is not known here: taken for \(Self.commonType)"
        }
        self.substitution = substitution
        switch opened {
        case foyer_open_ok: break
        case foyer_open_unknown_terminal: throw .unknownTerminalType(type)
        case foyer_open_no_cursor: throw .incapableTerminal(type)
        default: throw .unusable
        }
        TerminalGuard.prepare()
        TerminalGuard.arm()
        foyer_modes()
        let available = Int(foyer_start_color())
        colors = wantsColor ? available : 0
        colorPairs = ColorPairs(theme: theme, colors: colors)
        glyphs = isUTF8 && !wantsASCII ? .utf8 : .ascii
        decoder = InputDecoder(isUTF8: isUTF8)
        hasAlternateScreen = foyer_capability("smcup") != nil
        size = Self.windowSize()
        foyer_resize(Int32(size.rows), Int32(size.columns))
        _ = readKeys()
        setPaste(true)
    }

    /// Shows `grid`. What lies outside the window is not shown.
    package func draw(_ grid: Grid) {
        guard screen != nil, !isAway else { return }
        var before = shown?.size == grid.size ? shown : nil
        if before == nil {
            foyer_clear()
            if colorPairs.attributes(.text) == .none { before = Grid(size: grid.size, glyphs: grid.glyphs) }
        }
        for row in 0..<min(grid.size.rows, size.rows) { drawRow(row, of: grid, before: before) }
        place(grid.cursor)
        foyer_show()
        shown = grid
    }

    /// The keys that wait, without waiting for more.
    package func readKeys() -> [Key] {
        guard screen != nil, !isAway else { return [] }
        var batch: [RawInput] = []
        var value: UInt32 = 0
        for _ in 0..<Self.mostReads {
            switch foyer_read(&value) {
            case foyer_read_scalar: batch.append(.scalar(value))
            case foyer_read_key: batch.append(Key(ncurses: value).map(RawInput.key) ?? .unknown)
            default: return keys(of: batch)
            }
        }
        return keys(of: batch)
    }

    /// Without the clicks outside of the window.
    private func keys(of batch: [RawInput]) -> [Key] {
        decoder.decode(batch).filter { key in
            guard case .mouse(let pointer) = key else { return true }
            return pointer.place.row < size.rows && pointer.place.column < size.columns
        }
    }

    /// Takes clicks and the wheel, or leaves them to the terminal's own selection.
    ///
    /// - Returns: false where the terminal has no mouse that is known of.
    package func setMouse(_ isOurs: Bool) -> Bool {
        guard screen != nil else { return false }
        guard foyer_capability("kmous") != nil else { return !isOurs }
        isMouseOurs = isOurs
        decoder.takesMouse = isOurs
        if !isAway { reportMouse(isOurs) }
        return true
    }

    /// Buttons and the wheel (1000), in a form that knows wide windows and tells a release from a press (1006).
    private func reportMouse(_ on: Bool) {
        Self.write(on ? "\u{1B}[?1000h\u{1B}[?1006h" : "\u{1B}[?1006l\u{1B}[?1000l")
    }

    /// Throws away what was typed ahead, before a question that must not be answered by it.
    package func flushInput() {
        guard screen != nil, !isAway else { return }
        foyer_flush_input()
        decoder.forget()
    }

    /// Takes the window's present size; the next picture is drawn whole.
    @discardableResult
    package func resize() -> Size {
        size = Self.windowSize()
        guard screen != nil, !isAway else { return size }
        foyer_resize(Int32(size.rows), Int32(size.columns))
        // A terminal that rewraps lines has moved what was drawn, and tells only afterwards: nothing of it is where
        // ncurses believes.
        redraw()
        return size
    }

    /// Repaints everything at the next `draw`, for Ctrl-L after someone else wrote on the screen.
    package func redraw() {
        guard screen != nil else { return }
        shown = nil
        foyer_repaint()
    }

    /// Draws with another theme from now on.
    package func use(_ theme: Theme) {
        colorPairs = ColorPairs(theme: theme, colors: colors)
        redraw()
    }

    /// Stops the process as Ctrl-Z does in a shell, and comes back when it goes on; then draw again.
    package func suspend() {
        leave()
        foyer_stop_group()
        resume()
    }

    /// Takes the terminal back when the process goes on (SIGCONT); the next picture is drawn whole. Going on in the
    /// background it stays away: the next SIGCONT comes with the foreground.
    package func resume() {
        guard screen != nil else { return }
        guard foyer_is_foreground() else {
            isAway = true
            TerminalGuard.disarm()
            return
        }
        if !isAway { foyer_leave() }
        isAway = false
        TerminalGuard.arm()
        foyer_return()
        showsCursor = nil
        resize()
        redraw()
        setPaste(true)
        if isMouseOurs { reportMouse(true) }
    }

    /// Gives the terminal to another program for as long as `body` runs. Pause `TerminalEvents` meanwhile.
    package func withSuspendedScreen<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        leave()
        defer { resume() }
        return try await body()
    }

    /// Puts `sequence` past the screen, for the clipboard (`Clipboard`).
    package func send(_ sequence: String) {
        guard screen != nil, !isAway else { return }
        Self.write(sequence)
    }

    /// Gives the terminal back for good.
    package func close() {
        guard let screen else { return }
        leave()
        foyer_close(screen)
        self.screen = nil
    }

    private func leave() {
        guard screen != nil, !isAway else { return }
        setPaste(false)
        if isMouseOurs { reportMouse(false) }
        foyer_cursor(1)
        foyer_leave()
        isAway = true
        TerminalGuard.disarm()
    }

    private func setPaste(_ on: Bool) { Self.write(on ? "\u{1B}[?2004h" : "\u{1B}[?2004l") }

    private func place(_ cursor: Position?) {
        let visible =
            cursor.map { $0.row >= 0 && $0.column >= 0 && $0.row < size.rows && $0.column < size.columns } ?? false
        if visible != showsCursor {
            foyer_cursor(visible ? 1 : 0)
            showsCursor = visible
        }
        if visible, let cursor { foyer_move(Int32(cursor.row), Int32(cursor.column)) }
    }

    /// Writes the changed cells of a row, those of one look that stand together in one go.
    private func drawRow(_ row: Int, of grid: Grid, before: Grid?) {
        let end = min(grid.size.columns, size.columns)
        var column = 0
        var run: [UInt32] = []
        while column < end {
            let cell = grid.packed(row: row, column: column)
            if cell.width == 0 || before?.isSame(as: grid, row: row, column: column) == true {
                column += 1
                continue
            }
            let attributes = colorPairs.attributes(cell.style)
            foyer_set_attributes(attributes.flags, attributes.pair)
            foyer_move(Int32(row), Int32(column))
            if let line = cell.line {
                foyer_add_line(line.ncursesPiece, !glyphs.isASCII)
                column += 1
                continue
            }
            run.removeAll(keepingCapacity: true)
            while column < end {
                let next = grid.packed(row: row, column: column)
                guard next.line == nil, next.width > 0, column + Int(next.width) <= end,
                    next.style == cell.style || colorPairs.attributes(next.style) == attributes,
                    before?.isSame(as: grid, row: row, column: column) != true
                else { break }
                if let character = next.ascii {
                    run.append(character)
                } else {
                    CellText.append(grid.cell(next), to: &run)
                }
                column += Int(next.width)
            }
            guard !run.isEmpty else {
                column += 1
                continue
            }
            foyer_add(run, Int32(run.count))
        }
    }

    private static func windowSizeIsSane() -> Bool {
        var rows: Int32 = 0
        var columns: Int32 = 0
        guard foyer_window_size(&rows, &columns) else { return true }
        return rows <= Size.largest.rows && columns <= Size.largest.columns
    }

    /// A window that says it has no size gets the one terminals have had since there were terminals.
    private static func windowSize() -> Size {
        var rows: Int32 = 0
        var columns: Int32 = 0
        guard foyer_window_size(&rows, &columns) else { return Size(rows: 24, columns: 80) }
        return Size(rows: Int(rows), columns: Int(columns))
    }

    /// Nil when it is not set, or set to nothing.
    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func write(_ sequence: String) {
        var bytes = Array(sequence.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
