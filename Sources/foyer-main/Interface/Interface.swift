import AppModel
import CommandSupport
import Console
import FoundationEssentials
import Glibc
import Identity
import Screens
import SilentFirst
import Terminal
import TokenCache
import TokenCalls

/// Opens the terminal interface. Errors before the screen is up go to standard error as text.
@MainActor
enum Interface {
    /// The reason that the interface ended, to be passed on after cleanup.
    enum End: Sendable {
        case signal(Int32)
        /// Ctrl-C outside the screens.
        case interrupt
        case demo(isPlain: Bool)

        /// - Parameter noColor: also applies to the demo.
        func passOn(noColor: Bool) {
            switch self {
            case .signal(let number): ProcessGuard.end(by: number)
            case .interrupt: exit(Failure.Code.cancelled.exitStatus)
            case .demo(let isPlain):
                let reason = ProcessGuard.become(
                    ["foyer", "demo"] + (isPlain ? ["--plain"] : []) + (noColor ? ["--no-color"] : []))
                Output(json: false, verbose: false, noColor: true).fail(
                    Failure(.unavailable, "cannot start the demo: \(reason)", hint: "run: foyer demo"))
            }
        }
    }

    /// - Parameter isDemo: shown on the screen; the store is deleted afterwards.
    /// - Returns: nil if the user quit.
    static func open(_ session: CommandContext, isDemo: Bool = false) async throws(Failure) -> End? {
        guard ProcessGuard.isTerminal else {
            throw Failure(
                .usage, "the interface needs a terminal",
                hint: "in scripts, use the commands: \"foyer --help\"")
        }
        let presence = isDemo ? nil : OpenInterface(AgentPlace(session.environment))
        defer { withExtendedLifetime(presence) {} }
        let browser = Browser(environment: session.environment, command: nil)
        let client = try session.clientIfAny()
        let recent = isDemo ? nil : RecentAccounts(session.environment)
        let runner = EffectRunner(
            session, browser, store: try session.storeForSigningIn(client).cache.watched,
            provider: Provider(session.network(), refreshes: ProcessEnd.refreshes), recent: recent)
        let automatic = browser.automaticMethod()
        let isPlain = PlainInterface.isWanted(session.shared, session.environment)
        var context = Context()
        let choices = session.choices
        context.clients = session.configuredClients(choices)
        context.defaultClient = client?.clientID
        context.storeLabel = session.label(runner.store)
        context.storeBadge = runner.store.spec?.kind.badge
        context.isDemo = isDemo
        context.automaticMethod = automatic.method
        context.automaticReason = automatic.reason
        context.secondsFromGMT = secondsFromGMT()
        context.keyChanges = try session.settings.keys.changes(in: session.settings.path)
        context.theme = session.settings.theme ?? "default"
        context.themes = session.themeNames
        context.settings = session.settingLines(choices)
        context.mouse = session.settings.mouse ?? false
        context.uses = recent?.read() ?? AccountUses()
        context.naming = isPlain ? .names : .keys
        runner.reader.clientName = { [context] in context.clientName($0) }
        if !isPlain {
            switch try await openScreens(session, runner, AppState(context: context, now: Date())) {
            case .ended(let end): return end
            case .unknown(let type):
                session.output.note("foyer: \(type); using plain mode")
                context.naming = .names
            }
        }
        return await openPlain(runner, AppState(context: context, now: Date()))
    }

    /// From the C library, as FoundationEssentials only knows GMT.
    private static func secondsFromGMT() -> Int {
        var now = time(nil)
        var local = tm()
        return localtime_r(&now, &local) == nil ? 0 : local.tm_gmtoff
    }

    private static func openPlain(_ runner: EffectRunner, _ state: AppState) async -> End? {
        // Catches signals until the response to a running refresh is stored.
        let watch = Interrupt.watch { _ in ProcessEnd.sayWaiting() }
        defer { watch.cancel() }
        let interface = PlainInterface(runner, state)
        let end = await interface.run()
        ProcessEnd.refreshes.refuseMore()
        if !ProcessEnd.refreshes.isEmpty { ProcessEnd.sayWaiting() }
        await runner.close()
        return end
    }

    private enum ScreensEnd {
        case ended(End?)
        /// Not opened: the terminal type is unknown, and the terminal does not report more.
        case unknown(String)
    }

    private static func openScreens(
        _ session: CommandContext, _ runner: EffectRunner, _ state: AppState
    ) async throws(Failure) -> ScreensEnd {
        guard let events = TerminalEvents() else { throw Failure(.unavailable, "cannot create a pipe") }
        let terminal: NcursesTerminal
        do {
            terminal = try NcursesTerminal(
                theme: try session.theme(),
                wantsColor: !session.shared.noColor && session.environment["NO_COLOR"] == nil
            )
        } catch let error as TerminalError {
            events.stop()
            if case .unknownTerminalType = error { return .unknown(error.message) }
            throw Failure(.usage, error.message, hint: .text(error.hint))
        } catch let failure as Failure {
            events.stop()
            throw failure
        } catch { throw Failure(.usage, "the terminal cannot be used") }

        // From here on only the screens use the terminal.
        session.desk.close()
        let loop = Loop(terminal, events, runner, state) { name throws(Failure) in
            try session.theme(named: name)
        }
        let end = await loop.run()
        ProcessEnd.refreshes.refuseMore()
        terminal.close()
        if !ProcessEnd.refreshes.isEmpty { ProcessEnd.sayWaiting() }
        // Signals stay caught until the response to a running refresh is stored.
        await runner.close()
        events.stop()
        return .ended(end)
    }
}

extension StoreSpec.Kind {
    var badge: String {
        switch self {
        case .file: "plain file"
        case .encrypted: "encrypted file"
        case .keyring: "keyring"
        }
    }
}
