import AppModel
import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import Keys
import Screens
import Terminal

/// Passes events to `update`, its effects to the runner, and a picture of the new state to the terminal.
@MainActor
final class Loop {
    private enum LoopEvent: Sendable {
        case terminal(TerminalEvent)
        case message(Message)
        /// The question may have been visible long enough.
        case settled
    }

    private let terminal: NcursesTerminal
    private let events: TerminalEvents
    private let runner: EffectRunner
    private var state: AppState
    private let loadTheme: (String) throws(Failure) -> Theme
    private var isOver = false
    private var answerGuard = AnswerGuard<ScreenQuestion>()
    private var settling: (at: ContinuousClock.Instant, task: Task<Void, Never>)?
    private var sink: AsyncStream<LoopEvent>.Continuation?
    private var clicks = DoubleClick()
    private var ticking: (interval: Duration, task: Task<Void, Never>)?
    /// The action after the terminal is restored; nil if the user quit.
    private var end: Interface.End?

    init(
        _ terminal: NcursesTerminal, _ events: TerminalEvents, _ runner: EffectRunner, _ state: AppState,
        loadTheme: @escaping (String) throws(Failure) -> Theme
    ) {
        self.loadTheme = loadTheme
        self.terminal = terminal
        self.events = events
        self.runner = runner
        self.state = state
    }

    /// - Returns: nil if the user quit.
    func run() async -> Interface.End? {
        let (happenings, sink) = AsyncStream.makeStream(of: LoopEvent.self)
        self.sink = sink
        runner.send = { sink.yield(.message($0)) }
        runner.runTextBrowser = { [terminal, events] body in
            events.pauseInput()
            await terminal.withSuspendedScreen(body)
            events.resumeInput()
            sink.yield(.terminal(.resize))
        }
        let listening = Task { [events] in
            for await event in events.events { sink.yield(.terminal(event)) }
        }
        defer {
            listening.cancel()
            ticking?.task.cancel()
            settling?.task.cancel()
            runner.cancelAll()
        }
        // The settings were read before.
        let opened = Date(timeIntervalSinceNow: -0.2)
        // If possible, the store is read before the first frame: it takes less time than a visible flash of an empty
        // list. Other programs' stores follow once they are read.
        if let loaded = runner.reader.loadNow() {
            receive(loaded)
            runner.aside { [runner] in await runner.reader.readOtherStores() }
        } else {
            carryOut(AppState.firstEffects)
        }
        if state.context.mouse, !terminal.setMouse(true) { receive(.notice("this terminal has no mouse")) }
        if let substitution = terminal.substitution { receive(.notice(substitution)) }
        draw()
        runner.followFiles(since: opened)
        runner.watchForQuestions()
        runner.finishSignOuts()
        for await happening in happenings {
            if Date().timeIntervalSince(state.context.now) >= 1 { receive(.tick(Date())) }
            switch happening {
            case .terminal(let event): handle(event)
            case .message(.tick(let now)):
                guard state.isMoving else { continue }
                receive(.tick(now))
            case .message(let message): receive(message)
            case .settled: answerGuard.settle(at: .now, isInputPending: terminal.isInputPending)
            }
            if isOver { break }
            draw()
        }
        if state.holdsClipboard { clearClipboard() }
        return end
    }

    private func handle(_ event: TerminalEvent) {
        switch event {
        case .input:
            var keys = terminal.readKeys()[...]
            while !isOver, let key = keys.popFirst() {
                guard answerGuard.admits(effect(of: key), at: .now) else { continue }
                press(state.looksForText ? key.joined(with: &keys) : key)
            }
            if let problem = terminal.takePasteProblem() { receive(.notice(problem.words)) }
            events.resumeInput()
        case .resize:
            events.takesSize()
            _ = terminal.resize()
            receive(.resized)
        case .signal(SIGTSTP): suspend()
        case .signal(SIGCONT):
            terminal.resume()
            receive(.resized)
        case .signal(let number):
            end = .signal(number)
            isOver = true
        case .hangup:
            end = .signal(SIGHUP)
            isOver = true
        case .wake: break
        }
    }

    private func effect(of key: Key) -> KeyEffect {
        guard !state.mayAnswer(key) else { return .answers }
        return state.question?.form == .text && !key.isForProgram ? .types : .other
    }

    private func press(_ key: Key) {
        var key = key
        if case .mouse(let pointer) = key { key = .mouse(clicks.event(pointer, at: .now)) }
        for message in state.messages(for: key, size: terminal.size, glyphs: terminal.glyphs) {
            if case .select = message {} else { clicks.forget() }
            receive(message)
        }
    }

    private func receive(_ message: Message) {
        carryOut(state.update(message, on: .screen(terminal.size)))
        answerGuard.follow(state.question)
    }

    private func carryOut(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .quit: isOver = true
            case .openDemo:
                end = .demo(isPlain: false)
                isOver = true
            case .redraw: terminal.redraw()
            case .mouse(let isOurs):
                if !terminal.setMouse(isOurs), isOurs { receive(.notice("this terminal has no mouse")) }
            case .suspend: suspend()
            case .copy(let text): copy(text)
            case .copySecret(let secret): copy(secret.reveal())
            case .clearClipboard: clearClipboard()
            case .showTheme(let name):
                do throws(Failure) { terminal.use(try loadTheme(name)) } catch { receive(.notice(error.message)) }
            default: runner.run(effect)
            }
        }
    }

    private func copy(_ text: String) {
        let sequence = Clipboard.sequence(copying: text, insideTmux: runner.isInsideTmux)
        if let sequence { terminal.send(sequence) }
    }

    private func clearClipboard() { terminal.send(Clipboard.clearing(insideTmux: runner.isInsideTmux)) }

    private func suspend() {
        events.pauseInput()
        terminal.suspend()
        events.resumeInput()
        receive(.resized)
        receive(.tick(Date()))
    }

    private func draw() {
        let grid = view(state, size: terminal.size, glyphs: terminal.glyphs)
        terminal.draw(grid)
        answerGuard.drawn(at: .now)
        settle(at: answerGuard.settlesAt)
        tick(every: tickInterval(grid))
    }

    private func settle(at end: ContinuousClock.Instant?) {
        guard end != settling?.at else { return }
        settling?.task.cancel()
        settling = end.map { end in
            let task = Task { [sink] in
                if (try? await Task.sleep(until: end, clock: .continuous)) != nil { sink?.yield(.settled) }
            }
            return (end, task)
        }
    }

    /// Seconds are only counted for a user who may be looking.
    private func tickInterval(_ grid: Grid) -> Duration {
        if !terminal.hasFocus, !state.holdsClipboard { return .seconds(60) }
        return state.isAtRest && !grid.countsSeconds ? .seconds(15) : .seconds(1)
    }

    private func tick(every interval: Duration) {
        guard interval != ticking?.interval else { return }
        ticking?.task.cancel()
        ticking = (interval, runner.ticking(every: interval))
    }
}
