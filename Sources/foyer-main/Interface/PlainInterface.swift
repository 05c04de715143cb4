import AppModel
import CommandSupport
import Console
import Dispatch
import FoundationEssentials
import Glibc
import Identity
import Plain
import Terminal

/// The interface as lines: says what the model shows, gives it what is answered, and hands what it asks for to the
/// runner.
@MainActor
final class PlainInterface {
    private enum Happening: Sendable {
        /// The stores have been read.
        case ready
        /// Nil at the end of input.
        case line(String?)
        case message(Message)
        case signal(Int32)
    }

    private let runner: EffectRunner
    private var state: AppState
    private var face = PlainFace()
    private let input = PlainInput()
    private var reading: Task<Void, Never>?
    private var sink: AsyncStream<Happening>.Continuation?
    private var isReady = false
    /// Whether the cursor stands behind a question.
    private var isAsked = false
    private var isOver = false
    private var end: Interface.End?

    /// Whether the person asked for it, or the terminal cannot do more.
    static func isWanted(_ choices: TokenOptions, _ environment: ProcessEnvironment) -> Bool {
        if choices.plain { return true }
        if let accessible = environment["ACCESSIBLE"], accessible != "0" { return true }
        return environment["TERM"] == "dumb"
    }

    init(_ runner: EffectRunner, _ state: AppState) { (self.runner, self.state) = (runner, state) }

    /// Ends when the person leaves, or at the end of input.
    ///
    /// - Returns: nil when the person ended it.
    func run() async -> Interface.End? {
        let (happenings, sink) = AsyncStream.makeStream(of: Happening.self)
        self.sink = sink
        runner.send = { sink.yield(.message($0)) }
        runner.runTextBrowser = { [weak self] body in
            // A text browser has the terminal for itself.
            await self?.stopReading()
            await body()
            self?.read()
        }
        let watch = Interrupt.watch { number in
            sink.yield(.signal(number))
            // Whoever writes lines may wait for a terminal that is not read.
            guard number != SIGINT else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(TerminalGuard.patience)) {
                TerminalGuard.abandon()
            }
        }
        let ticking = Task {
            while !Task.isCancelled {
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
                sink.yield(.message(.tick(Date())))
            }
        }
        defer {
            watch.cancel()
            ticking.cancel()
            reading?.cancel()
            Echo.on()
            if isAsked { write("\n") }
            runner.cancelAll()
        }
        say([
            "foyer, plain mode. Answer with a number, or with the name or the key of a command, and Enter; Enter alone"
                + " tells the page again; Ctrl-C cancels what is running."
        ])
        runner.watchForQuestions()
        // What is told first has everybody in it: nothing told can be taken back.
        runner.aside { [runner] in
            await runner.reader.reload()
            await runner.reader.lookAtOthers()
            sink.yield(.ready)
        }
        for await happening in happenings {
            switch happening {
            case .ready:
                isReady = true
                tell(face.tell(state))
            case .line(nil): isOver = true
            case .line(let line?): answer(line)
            case .message(.tick(let now)): receive(.tick(now))
            case .message(let message):
                receive(message)
                if isReady { tellChanges() }
            case .signal(SIGINT):
                guard let request = state.top.underWay else { return .interrupt }
                cancel(request)
            case .signal(let number): return .signal(number)
            }
            if isOver { break }
        }
        return end
    }

    private func answer(_ line: String) {
        reading = nil
        // Enter has ended the line, where it is seen.
        isAsked = face.isUnseen(state)
        Echo.on()
        let (messages, complaint) = face.answer(line, state)
        for message in messages where !isOver { receive(message) }
        guard !isOver else { return }
        tell(complaint + face.tell(state))
    }

    private func cancel(_ request: RequestID) {
        // An input that is open on it closes first.
        for _ in 0..<2 where state.top.underWay == request { receive(.command(.back)) }
        tell(["cancelled"] + face.tell(state))
    }

    private func receive(_ message: Message) { carryOut(state.update(message, on: .unlimited)) }

    private func carryOut(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .quit: isOver = true
            case .openDemo:
                end = .demo(isPlain: true)
                isOver = true
            // Nothing is drawn, the clipboard and what was typed ahead are the terminal's.
            case .redraw, .suspend, .mouse, .flushInput, .copySecret, .clearClipboard, .showTheme: break
            // Whoever reads lines takes it from there.
            case .copy(let text): say(text.split(separator: "\n").map(String.init))
            default: runner.run(effect)
            }
        }
    }

    // MARK: Lines

    /// Tells the lines, and asks for the next one.
    private func tell(_ lines: [String]) {
        say(lines)
        write(SafeText.line(face.prompt(state)))
        isAsked = true
        if face.isUnseen(state) { Echo.off() } else { Echo.on() }
        read()
    }

    /// What was asked before is asked again below what is new, but not below each step of what is under way.
    private func tellChanges() {
        let (lines, asks) = face.tellChanges(state)
        guard asks || !lines.isEmpty else { return }
        if asks || state.top.underWay == nil { tell(lines) } else { say(lines) }
    }

    private func say(_ lines: [String]) {
        let columns = PlainLines.columns
        // The line on which an answer is waited for ends first.
        let lines = isAsked && lines.first != "" ? [""] + lines : lines
        isAsked = false
        let rows = lines.flatMap { PlainLines.broken(SafeText.line($0, limit: Output.longestLine), columns) }
        write(rows.map { $0 + "\n" }.joined())
    }

    /// A terminal that is gone ends the interface, in good order.
    private func write(_ text: String) { if Output.write(text, to: STDOUT_FILENO) != nil { isOver = true } }

    private func read() {
        guard reading == nil, let sink else { return }
        let input = input
        reading = Task {
            let line = await input.next()
            if !Task.isCancelled { sink.yield(.line(line)) }
        }
    }

    private func stopReading() async {
        reading?.cancel()
        await reading?.value
        reading = nil
    }
}

/// Lines as wide as the terminal.
enum PlainLines {
    /// Nil where standard output is no terminal, or one that does not say how wide it is.
    static var columns: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// A line broken between words, and indented as it began. One with a word that does not fit stays whole: an address
    /// or a token is copied as it stands.
    ///
    /// - Parameter line: cleaned already.
    static func broken(_ line: String, _ columns: Int?) -> [String] {
        guard let columns, DisplayWidth.columns(line) > columns else { return [line] }
        let number = line.drop { $0 == " " }.drop { $0.isASCII && $0.isNumber }
        let isNumbered = number.hasPrefix("  ") && number.startIndex > line.drop { $0 == " " }.startIndex
        let text = (isNumbered ? number : line[...]).drop { $0 == " " }
        let start = line[..<text.startIndex]
        let room = columns - start.count
        guard room > 0, text.split(separator: " ").allSatisfy({ DisplayWidth.columns($0) <= room }) else {
            return [line]
        }
        let rows = DisplayWidth.wrap(String(text), columns: room)
        return rows.enumerated().map { $0.offset == 0 ? start + $0.element : spaces(start.count) + $0.element }
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
