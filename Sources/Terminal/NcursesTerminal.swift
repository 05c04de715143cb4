import CLinux
import CNcurses
import Console
import Glibc
package import Keys

/// The terminal and sole owner of ncurses, on the main actor. Nothing else may print while it is open.
///
/// It draws a `Grid` by writing the changes since the previous one, and reads keys without blocking when
/// `TerminalEvents` reports input. Close it before the process ends; if that is not possible, `TerminalGuard` restores
/// the terminal.
@MainActor
package final class NcursesTerminal {
    package private(set) var size: Size
    package let glyphs: Glyphs
    /// Whether the terminal has a separate screen; without one, secrets remain readable in the scrollback.
    package let hasAlternateScreen: Bool
    /// A notice if the terminal's type is unknown and it is treated as an xterm.
    package let substitution: String?
    /// The number of colors; 0 without color support or if not wanted.
    package let colors: Int

    private var screen: OpaquePointer?
    private var colorPairs: ColorPairs
    private var decoder: InputDecoder
    private var shown: Grid?
    private var isAway = false
    private var showsCursor: Bool?
    private var isMouseOurs = false
    private let reportsFocus: Bool
    private var lastPasteInput = ContinuousClock.now

    /// Reads per call: a flood of input must not block drawing.
    private static let mostReads = 70_000

    /// Milliseconds without a byte after which the screen is drawn during a paste, and after which a key behind a paste
    /// is a typed one.
    private static let (pauseInPaste, pauseAfterPaste): (Int32, Int32) = (5, 20)
    /// How long the bytes of a paste are read without drawing.
    private static let longestPasteTurn = Duration.milliseconds(100)
    /// A key that comes later than this after the last byte of a paste is a typed one: the paste has no end.
    private static let silence = Duration.seconds(1)

    /// The type that nearly all terminals support and nearly all systems know.
    private static let commonType = "xterm-256color"

    /// Opens the terminal. One of unknown type is treated as an xterm if it answers a query, and refused otherwise.
    ///
    /// - Parameters:
    ///  - wantsColor: false for `NO_COLOR` and `--no-color`.
    ///  - wantsASCII: whether the user requested ASCII.
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
            substitution = "TERM=\(SafeText.line(type, limit: 40)) unknown: using \(Self.commonType)"
        }
        self.substitution = substitution
        switch opened {
        case foyer_open_ok: break
        case foyer_open_unknown_terminal: throw .unknownTerminalType(type)
        case foyer_open_no_cursor: throw .incapableTerminal(type)
        default: throw .unusable
        }
        reportsFocus = substitution == nil && FocusReports.areKnown(to: type)
        TerminalGuard.prepare(reportsFocus: reportsFocus)
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
        decoder.takesFocus = reportsFocus
        _ = readKeys()
        requestReports(true)
    }

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

    package func readKeys() -> [Key] {
        guard screen != nil, !isAway else { return [] }
        var found = decoder.isInPaste ? readPaste() : []
        guard !decoder.isInPaste else { return found }
        var batch: [RawInput] = []
        var value: UInt32 = 0
        for _ in 0..<Self.mostReads {
            switch foyer_read(&value) {
            case foyer_read_scalar:
                batch.append(.scalar(value))
                guard batch.endsInPasteMark else { continue }
                found += keys(of: batch)
                batch = []
                if decoder.isInPaste { found += readPaste() }
                if decoder.isInPaste { return found }
            case foyer_read_key: batch.append(Key(ncurses: value).map(RawInput.key) ?? .unknown)
            default: return found + keys(of: batch)
            }
        }
        return found + keys(of: batch)
    }

    /// Reads the bytes of a paste without ncurses, which takes a system call for each.
    private func readPaste() -> [Key] {
        var found: [Key] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var last: UInt8?
        let began = ContinuousClock.now
        // Behind a paste only a pause ends the turn, as what follows without one was not typed.
        while decoder.isInPaste,
            ContinuousClock.now - began < (decoder.isWithinPaste ? Self.longestPasteTurn : Self.silence)
        {
            guard isReadable(within: decoder.isWithinPaste ? Self.pauseInPaste : Self.pauseAfterPaste) else {
                if decoder.isWithinPaste, last == 3 { found += decoder.decode([.scalar(3)]) }
                decoder.pausePaste()
                return found
            }
            let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
            guard count > 0 else { return found }
            let bytes = chunk[..<count]
            let silence = ContinuousClock.now - lastPasteInput
            lastPasteInput = .now
            if bytes == [3] || bytes == [12], decoder.isWithinPaste {
                found += decoder.decode([.scalar(UInt32(bytes[0]))])
            } else if last == nil, silence >= Self.silence, decoder.staysInPaste(with: bytes) {
                return found + decoder.abandonPaste(for: bytes)
            } else if decoder.isKey(behindPaste: bytes) {
                return found + decoder.read(typed: bytes)
            } else {
                found += decoder.read(pasted: bytes)
            }
            last = bytes.last
            if decoder.hasProblem, decoder.isWithinPaste { return found }
        }
        return found
    }

    private func isReadable(within milliseconds: Int32) -> Bool {
        var file = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&file, 1, milliseconds) > 0 && file.revents & Int16(POLLIN) != 0
    }

    /// Why a paste was discarded, once.
    package func takePasteProblem() -> PasteProblem? { decoder.takeProblem() }

    /// Whether there is input that was not read yet, or that belongs to a paste.
    package var isInputPending: Bool { decoder.isInPaste || foyer_pending_input(STDIN_FILENO) > 0 }

    private func keys(of batch: [RawInput]) -> [Key] {
        decoder.decode(batch).filter { key in
            guard case .mouse(let pointer) = key else { return true }
            return pointer.place.row < size.rows && pointer.place.column < size.columns
        }
    }

    /// Turns mouse reports on or off; when off, the terminal's own selection works.
    ///
    /// - Returns: false if the terminal has no known mouse.
    package func setMouse(_ isOurs: Bool) -> Bool {
        guard screen != nil else { return false }
        guard foyer_capability("kmous") != nil else { return !isOurs }
        isMouseOurs = isOurs
        decoder.takesMouse = isOurs
        if !isAway { reportMouse(isOurs) }
        return true
    }

    /// Buttons and the wheel (1000), in the form for wide windows and releases (1006).
    private func reportMouse(_ on: Bool) {
        Self.write(on ? "\u{1B}[?1000h\u{1B}[?1006h" : "\u{1B}[?1006l\u{1B}[?1000l")
    }

    /// Whether keys typed now would come here, as far as the terminal reports it.
    package var hasFocus: Bool { decoder.hasFocus }

    /// Updates to the current window size; the next `draw` writes everything.
    @discardableResult
    package func resize() -> Size {
        size = Self.windowSize()
        guard screen != nil, !isAway else { return size }
        foyer_resize(Int32(size.rows), Int32(size.columns))
        // A terminal that rewraps lines has moved the output, so ncurses no longer knows its position.
        redraw()
        return size
    }

    /// Repaints everything in the next `draw`, for Ctrl-L after another program has written to the screen.
    package func redraw() {
        guard screen != nil else { return }
        shown = nil
        foyer_repaint()
    }

    package func use(_ theme: Theme) {
        colorPairs = ColorPairs(theme: theme, colors: colors)
        redraw()
    }

    /// Stops the process like Ctrl-Z in a shell, and returns when it is continued; then draw again.
    package func suspend() {
        leave()
        foyer_stop_group()
        resume()
    }

    /// Takes over the terminal when the process is continued (SIGCONT); the next `draw` writes everything. In the
    /// background it has no effect: another SIGCONT follows in the foreground.
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
        decoder.assumeFocus()
        requestReports(true)
    }

    /// Lets another program use the terminal while `body` runs. Pause `TerminalEvents` for that time.
    package func withSuspendedScreen<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        leave()
        defer { resume() }
        return try await body()
    }

    /// Sends `sequence` without affecting the screen, for the clipboard (`Clipboard`).
    package func send(_ sequence: String) {
        guard screen != nil, !isAway else { return }
        Self.write(sequence)
    }

    package func close() {
        guard let screen else { return }
        leave()
        foyer_close(screen)
        self.screen = nil
    }

    private func leave() {
        guard screen != nil, !isAway else { return }
        requestReports(false)
        foyer_cursor(1)
        foyer_leave()
        isAway = true
        TerminalGuard.disarm()
    }

    /// Pastes, and where wanted or known, focus and mouse.
    private func requestReports(_ on: Bool) {
        Self.write(on ? "\u{1B}[?2004h" : "\u{1B}[?2004l")
        if reportsFocus { Self.write(on ? FocusReports.on : FocusReports.off) }
        if isMouseOurs { reportMouse(on) }
    }

    private func place(_ cursor: Position?) {
        let visible =
            cursor.map { $0.row >= 0 && $0.column >= 0 && $0.row < size.rows && $0.column < size.columns } ?? false
        if visible != showsCursor {
            foyer_cursor(visible ? 1 : 0)
            showsCursor = visible
        }
        if visible, let cursor { foyer_move(Int32(cursor.row), Int32(cursor.column)) }
    }

    /// Writes the changed cells of a row, adjacent ones of the same style together.
    private func drawRow(_ row: Int, of grid: Grid, before: Grid?) {
        let changed = grid.changes(in: row, since: before)
        guard !changed.isEmpty else { return }
        let end = min(grid.size.columns, size.columns)
        var column = 0
        var run: [UInt32] = []
        while column < end {
            let cell = grid.packed(row: row, column: column)
            if cell.width == 0 || !changed[column] {
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
                    changed[column], next.style == cell.style || colorPairs.attributes(next.style) == attributes
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

    /// A window without a size gets the traditional one.
    private static func windowSize() -> Size {
        var rows: Int32 = 0
        var columns: Int32 = 0
        guard foyer_window_size(&rows, &columns) else { return Size(rows: 24, columns: 80) }
        return Size(rows: Int(rows), columns: Int(columns))
    }

    /// Nil if unset or empty.
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
