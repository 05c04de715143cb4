import FoundationEssentials
import Glibc
import Identity
import Screens
import Terminal

/// The loop: what happened goes into `update`, what it asks for goes to the runner, and the picture of the new state to
/// the terminal.
@MainActor
final class Loop {
    private enum Happening: Sendable {
        case terminal(TerminalEvent)
        case message(Message)
    }

    private let terminal: NcursesTerminal
    private let events: TerminalEvents
    private let runner: EffectRunner
    private var state: State
    private let loadTheme: (String) throws(Failure) -> Theme
    private var isOver = false
    private var answerGuard = AnswerGuard()
    /// What to die of once the terminal is given back, so that the caller sees it.
    private var deadlySignal: Int32?

    init(
        _ terminal: NcursesTerminal, _ events: TerminalEvents, _ runner: EffectRunner, _ state: State,
        loadTheme: @escaping (String) throws(Failure) -> Theme
    ) {
        self.loadTheme = loadTheme
        self.terminal = terminal
        self.events = events
        self.runner = runner
        self.state = state
    }

    /// - Returns: the signal that ended it, or nil when the person did.
    func run() async -> Int32? {
        let (happenings, sink) = AsyncStream.makeStream(of: Happening.self)
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
        let ticking = Task {
            while !Task.isCancelled {
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
                sink.yield(.message(.tick(Date())))
            }
        }
        defer {
            listening.cancel()
            ticking.cancel()
            runner.cancelAll()
        }
        // The store is read before the first frame when it can be: the answer is there sooner than an eye can see an
        // empty list. Other programs' stores come when they have been looked at.
        if let loaded = runner.loadNow() {
            tell(loaded)
            Task { [runner] in await runner.lookAtOthers() }
        } else {
            carryOut(State.firstEffects)
        }
        if state.mouse, !terminal.setMouse(true) { tell(.notice("this terminal has no mouse")) }
        draw()
        for await happening in happenings {
            switch happening {
            case .terminal(let event): hear(event)
            case .message(.tick(let now)):
                guard state.isMoving else { continue }
                tell(.tick(now))
            case .message(let message): tell(message)
            }
            if isOver { break }
            draw()
        }
        if state.holdsClipboard { clearClipboard() }
        return deadlySignal
    }

    private func hear(_ event: TerminalEvent) {
        switch event {
        case .input:
            for key in terminal.readKeys() where !isOver && answerGuard.admits(key, at: .now) { tell(.key(key)) }
            events.resumeInput()
        case .resize:
            events.takesSize()
            tell(.resized(terminal.resize()))
        case .signal(SIGTSTP): suspend()
        case .signal(SIGCONT):
            terminal.resume()
            tell(.resized(terminal.size))
        case .signal(let number):
            deadlySignal = number
            isOver = true
        case .hangup:
            deadlySignal = SIGHUP
            isOver = true
        case .wake: break
        }
    }

    private func tell(_ message: Message) {
        carryOut(update(&state, message))
        if !state.isAsking { answerGuard.lift() }
    }

    private func carryOut(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .quit: isOver = true
            case .redraw: terminal.redraw()
            case .mouse(let isOurs):
                if !terminal.setMouse(isOurs), isOurs { tell(.notice("this terminal has no mouse")) }
            case .suspend: suspend()
            case .flushInput:
                answerGuard.ask()
                terminal.flushInput()
            case .copy(let text):
                let sequence = Clipboard.sequence(copying: text, insideTmux: runner.isInsideTmux)
                if let sequence { terminal.send(sequence) }
            case .copySecret(let secret):
                let text = secret.reveal()
                if let sequence = Clipboard.sequence(copying: text, insideTmux: runner.isInsideTmux) {
                    terminal.send(sequence)
                }
            case .clearClipboard: clearClipboard()
            case .showTheme(let name):
                do throws(Failure) { terminal.use(try loadTheme(name)) } catch { tell(.notice(error.message)) }
            case .load, .readEntry, .export, .keepTheme, .keepSetting, .verify, .examine, .acquireSilently, .signIn,
                .cancel, .paste,
                .answer, .remove, .signOut, .removeElsewhere, .lookForStores, .keepStore, .openBrowser:
                runner.run(effect)
            }
        }
    }

    private func clearClipboard() { terminal.send(Clipboard.clearing(insideTmux: runner.isInsideTmux)) }

    private func suspend() {
        events.pauseInput()
        terminal.suspend()
        events.resumeInput()
        tell(.resized(terminal.size))
        tell(.tick(Date()))
    }

    private func draw() {
        terminal.draw(view(state, size: terminal.size, glyphs: terminal.glyphs))
        answerGuard.drawn(at: .now)
    }
}
