import AppModel
import CommandSupport
import Console
import Dispatch
import FoundationEssentials
import Glibc
import Identity
import Plain
import Terminal

/// The interface as lines: prints what the model shows, passes it the replies, and passes its effects to the runner.
@MainActor
final class PlainInterface {
    private enum LoopEvent: Sendable {
        case ready
        /// Nil at the end of input; with the prompt that it was typed at.
        case line(String?, prompt: Int)
        case message(Message)
        case signal(Int32)
        /// A request has been running for ``patience``.
        case patienceEnded
    }

    /// How long the result of an answer is awaited before a running request is reported.
    private static let patience = Duration.seconds(1)

    private let runner: EffectRunner
    private var state: AppState
    private var face = PlainFace()
    private let input = PlainInput()
    private var reading: Task<Void, Never>?
    /// The question of the current prompt.
    private var asked: ScreenQuestion?
    /// Counts the prompts that ask something.
    private var prompts = 0
    private var sink: AsyncStream<LoopEvent>.Continuation?
    private var isReady = false
    /// Whether the cursor is after a prompt.
    private var isAsked = false
    private var isOver = false
    /// Whether lines are typed; those of a script answer every question.
    private let isTyped = isatty(STDIN_FILENO) == 1
    /// While a request that was just started may soon have its result, which is then all that is printed.
    private var waiting: (complaint: [String], task: Task<Void, Never>)?
    private var end: Interface.End?

    /// Whether the user asked for plain mode, or the terminal supports no other.
    static func isWanted(_ choices: TokenOptions, _ environment: ProcessEnvironment) -> Bool {
        if choices.plain { return true }
        if let accessible = environment["ACCESSIBLE"], accessible != "0" { return true }
        return environment["TERM"] == "dumb"
    }

    init(_ runner: EffectRunner, _ state: AppState) { (self.runner, self.state) = (runner, state) }

    /// - Returns: nil if the user quit, or at the end of input.
    func run() async -> Interface.End? {
        let (happenings, sink) = AsyncStream.makeStream(of: LoopEvent.self)
        self.sink = sink
        runner.send = { sink.yield(.message($0)) }
        runner.runTextBrowser = { [weak self] body in
            // A text browser needs the terminal for itself.
            await self?.stopReading()
            await body()
            self?.read()
        }
        let watch = Interrupt.watch { number in
            sink.yield(.signal(number))
            // A write may block on a terminal that is not read.
            guard number != SIGINT else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(TerminalGuard.patience)) {
                TerminalGuard.abandon()
            }
        }
        let ticking = runner.ticking()
        defer {
            watch.cancel()
            ticking.cancel()
            reading?.cancel()
            waiting?.task.cancel()
            TerminalEcho.on()
            if isAsked { write("\n") }
            runner.cancelAll()
        }
        say(["foyer, plain mode"])
        // The settings were read before.
        runner.followFiles(since: Date(timeIntervalSinceNow: -0.2))
        runner.watchForQuestions()
        runner.finishSignOuts()
        // The first output includes all accounts, as printed lines cannot be changed.
        runner.aside { [runner] in
            await runner.reader.reload()
            await runner.reader.readOtherStores()
            sink.yield(.ready)
        }
        for await happening in happenings {
            switch happening {
            case .ready:
                isReady = true
                tell(face.tell(state))
            case .line(nil, _): isOver = true
            case .line(let line?, let prompt): if prompt == prompts { answer(line) }
            case .message(.tick(let now)): receive(.tick(now))
            case .message(let message):
                receive(message)
                if waiting != nil {
                    if state.top.underWay == nil || state.topPage.prompt != nil { stopWaiting() }
                } else if isReady {
                    tellChanges()
                }
            case .patienceEnded: stopWaiting()
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
        // Enter has ended the line, if it echoes.
        isAsked = face.isUnseen(state)
        TerminalEcho.on()
        // It would answer a question that was not printed yet.
        guard !isTyped || state.question == nil || state.question == asked else { return tell(face.tell(state)) }
        let before = state.top.underWay
        let (messages, complaint) = face.answer(line, state)
        for message in messages where !isOver { receive(message) }
        guard !isOver else { return }
        guard let request = state.top.underWay, request != before else { return tell(complaint + face.tell(state)) }
        let task = Task { [sink] in
            if (try? await Task.sleep(for: Self.patience)) != nil { sink?.yield(.patienceEnded) }
        }
        waiting = (complaint, task)
    }

    private func stopWaiting() {
        guard let waiting else { return }
        waiting.task.cancel()
        self.waiting = nil
        tell(waiting.complaint + face.tell(state))
    }

    private func cancel(_ request: RequestID) {
        waiting?.task.cancel()
        waiting = nil
        // An open input of the request closes first.
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
            // Nothing is drawn; the clipboard is the terminal's.
            case .redraw, .suspend, .mouse, .copySecret, .clearClipboard, .showTheme: break
            // The user copies it from the printed lines.
            case .copy(let text): say(text.split(separator: "\n").map(String.init))
            default: runner.run(effect)
            }
        }
    }

    // MARK: Lines

    private func tell(_ lines: [String]) {
        say(lines)
        beginQuestion()
        write(SafeText.line(face.prompt(state)))
        isAsked = true
        if face.isUnseen(state) { TerminalEcho.off() } else { TerminalEcho.on() }
        read()
    }

    /// Input typed at a terminal before a question was printed does not answer it.
    private func beginQuestion() {
        guard state.question != asked else { return }
        asked = state.question
        guard asked != nil, isTyped else { return }
        prompts += 1
        reading?.cancel()
        reading = nil
        input.dropTyped()
    }

    /// The prompt is repeated below news, but not below each step of a running request.
    private func tellChanges() {
        let (lines, asks) = face.tellChanges(state)
        guard asks || !lines.isEmpty else { return }
        if asks || state.top.underWay == nil { tell(lines) } else { say(lines) }
    }

    private func say(_ lines: [String]) {
        let columns = PlainLines.columns
        // First ends the line of the current prompt.
        let lines = isAsked && lines.first != "" ? [""] + lines : lines
        isAsked = false
        let rows = lines.flatMap { PlainLines.broken(SafeText.line($0, limit: Output.longestLine), columns) }
        write(rows.map { $0 + "\n" }.joined())
    }

    /// A lost terminal ends the interface in an orderly way.
    private func write(_ text: String) { if Output.write(text, to: STDOUT_FILENO) != nil { isOver = true } }

    private func read() {
        guard reading == nil, let sink else { return }
        let input = input
        reading = Task { [prompts] in
            let line = await input.next()
            if !Task.isCancelled { sink.yield(.line(line, prompt: prompts)) }
        }
    }

    private func stopReading() async {
        reading?.cancel()
        await reading?.value
        reading = nil
    }
}

enum PlainLines {
    /// Nil if standard output is not a terminal, or does not report its width.
    static var columns: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// A line broken between words, with its indentation repeated. A line with a word that does not fit stays whole: a
    /// URL or a token must be copied unchanged.
    ///
    /// - Parameter line: already cleaned.
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
        let indent = String(repeating: " ", count: start.count)
        return rows.enumerated().map { ($0 == 0 ? String(start) : indent) + $1 }
    }
}
