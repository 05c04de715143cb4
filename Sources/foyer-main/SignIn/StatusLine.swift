import CommandSupport
import Console
import FoundationEssentials
import Glibc
import Synchronization
import Terminal

/// One line on standard error about the current wait, redrawn every second and cleared before other output.
final class StatusLine: Sendable {
    private struct State: Sendable {
        /// The text at a time; nil while there is nothing to show.
        var words: (@Sendable (Date) -> String)?
        var isShown = false
        var beats = 0
        var beat: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let columns: Int
    private let isUTF8: Bool

    /// - Returns: nil if standard error is not a terminal, or the output is JSON.
    init?(_ session: CommandContext) {
        let screen = session.messageScreen
        guard let columns = screen.columns, !session.output.json, session.environment["TERM"] ?? "dumb" != "dumb" else {
            return nil
        }
        self.columns = columns
        isUTF8 = !screen.glyphs.isASCII
    }

    deinit { stop() }

    /// Shows this from now on, or after a delay in seconds.
    func show(after delay: Double = 0, _ words: @escaping @Sendable (Date) -> String) {
        let beat = Task { [weak self] in
            try? await Task.sleep(for: .seconds(delay))
            while !Task.isCancelled {
                self?.write()
                try? await Task.sleep(for: .seconds(1))
            }
        }
        state.withLock { state in
            state.beat?.cancel()
            state.beat = beat
            state.words = words
        }
    }

    /// Shows the text with the seconds elapsed so far.
    func show(after delay: Double, counting words: String) {
        let start = Date()
        show(after: delay) { now in "\(words), \(Int(now.timeIntervalSince(start).rounded())) s" }
    }

    /// Clears the line for other output; the next second restores it.
    func aside() {
        state.withLock { state in
            if state.isShown { Output.write("\r\u{1B}[K", to: STDERR_FILENO) }
            state.isShown = false
        }
    }

    func stop() {
        state.withLock { state in
            state.beat?.cancel()
            state.beat = nil
            state.words = nil
        }
        aside()
    }

    private func write() {
        state.withLock { state in
            guard let words = state.words else { return }
            let frames = isUTF8 ? Self.frames : Self.asciiFrames
            state.beats += 1
            let text = frames[state.beats % frames.count] + " " + SafeText.line(words(Date()))
            Output.write("\r\u{1B}[K" + DisplayWidth.clip(text, columns: columns - 1), to: STDERR_FILENO)
            state.isShown = true
        }
    }

    private static let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
    private static let asciiFrames = ["|", "/", "-", "\\"]
}
