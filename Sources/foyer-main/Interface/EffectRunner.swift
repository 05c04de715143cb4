import AppModel
import CommandSupport
import Explain
import FoundationEssentials
import Identity
import Programs
import SilentCore
import SilentFirst
import TokenCache

/// Carries out the model's effects off the main actor and reports back. One task per request, until it ends.
@MainActor
final class EffectRunner {
    /// Receives each message; set by the loop.
    var send: @Sendable (Message) -> Void = { _ in } { didSet { reader.send = send } }
    /// Gives the terminal to a text browser while the body runs; set by the loop.
    var runTextBrowser: @MainActor (@Sendable () async -> Void) async -> Void = { _ in }

    let reader: StoreReader
    var store: TokenCache { reader.store }
    let isInsideTmux: Bool
    var session: CommandContext { didSet { reader.session = session } }
    let browser: Browser
    let follower = FileFollower()
    private let provider: Provider
    var tasks: [RequestID: Task<Void, Never>] = [:]
    /// By the request of the removal.
    var removedEntries: [RequestID: RemovedEntries] = [:]
    /// Tasks without a request.
    private var asides: [Int: Task<Void, Never>] = [:]
    private var lastAside = 0
    private var pasted: [RequestID: AsyncStream<String>.Continuation] = [:]
    private var answers: [RequestID: AsyncStream<SignInReply>.Continuation] = [:]
    let clients: InterfaceClients
    /// Nil in the demo.
    let recent: RecentAccounts?
    var readActivity: ReadActivity { ReadActivity(session.environmentOfPrograms) }
    /// The latest changes of the settings file by the interface, by their number.
    var settingsChanges: [Int: SettingsChange] = [:]
    var lastSettingsChange = 0
    var shownSetup: (id: RequestID, work: SetupWork, plan: SetupPlan)?
    private var changing: Task<Void, Never>?

    init(_ session: CommandContext, _ browser: Browser, store: TokenCache, provider: Provider, recent: RecentAccounts?)
    {
        self.session = session
        self.browser = browser
        self.provider = provider
        self.recent = recent
        clients = InterfaceClients(session, store: store, provider: provider)
        reader = StoreReader(session, store, clients)
        isInsideTmux = session.environment["TMUX"] != nil
    }

    func run(_ effect: Effect) {
        switch effect {
        case .load:
            aside { [reader] in
                await reader.reload()
                await reader.readOtherStores()
            }
        case .decide(let request):
            let send = send
            aside { send(.decided(request, await BlockingExecutor.run { request.statuses() })) }
        case .acquireSilently(let request, let use, let id):
            let request = request.numbered
            if let account = request.account { noteUse(of: account.id) }
            let borrow = borrowing(request.account, use)
            start(id, use, request.correlationID) { application, send throws(Failure) in
                if let step = try await borrow() { send(.reply(.step(step), id)) }
                let token = try await application.acquireTokenSilent(request) { send(.reply(.step($0), id)) }
                send(.reply(.acquired(token), id))
                if let warning = token.warning { send(.notice(warning)) }
            }
        case .signIn(let wanted, let id): signIn(wanted, id)
        case .lookUpProvider(let authority, let clientID, let id): lookUp(authority, clientID, id)
        case .cancel(let id):
            tasks[id]?.cancel()
            pasted[id]?.finish()
            answers[id]?.finish()
        case .paste(let text, let id): pasted[id]?.yield(text)
        case .answer(let reply, let id): answers[id]?.yield(reply)
        case .remove(let account, let use, let choices, let id): remove(account, use, choices, id)
        case .signOut(let account, let use, let choices, let id): signOut(account, use, choices, id)
        case .restore(let removal, let id): restore(removal, id)
        case .forgetRemovals: removedEntries = [:]
        case .removeElsewhere(let account, let other, let id): remove(account, from: other, id)
        case .findStores(let id): findStores(id)
        case .lookAtAgent(let id): lookAtAgent(id)
        case .lookAtPrograms(let id, let asksPrograms): lookAtPrograms(id, asksPrograms: asksPrograms)
        case .keepActivityRead(let date):
            changeFiles { [readActivity] in await BlockingExecutor.run { readActivity.keep(date) } }
        case .writeRule(let offer, _): write(offer)
        case .undoSetting(let change): undo(change)
        case .planSetup(let name, let direction, let id): planSetup(name, direction, id)
        case .carryOutSetup(let shown, let id): carryOutSetup(shown: shown, id)
        case .orderAgent(let order): carryOut(order)
        case .keepStore(let name, let change, let id):
            changeFiles { [self] in
                do throws(Failure) {
                    session = try await BlockingExecutor.run { [session] () throws(Failure) in
                        let file = SettingsFile(session.settings.path)
                        switch change {
                        case .write(let value): try file.set("write", ofStore: name, to: value)
                        case .hidden(let value): try file.set("hidden", ofStore: name, to: value)
                        }
                        return try session.readingSettingsAgain()
                    }
                } catch { send(.notice("not saved: \(error.message)")) }
            }
            findStores(id)
            aside { [self] in
                _ = await changedSession()
                await reader.readOtherStores()
            }
        case .openBrowser(let address):
            let (browser, send) = (browser, send)
            aside {
                do throws(BrowserProblem) {
                    try await browser.open(address)
                    send(.notice("opened in the browser"))
                } catch { send(.notice("cannot open a browser: \(error.message)")) }
            }
        case .keepTheme(let name):
            keep("theme", .text(name), orElse: "the theme was not saved")
        case .keepSetting(let name, let value):
            keep(name, value, orElse: "\(name) was not saved")
        case .keepClient(let client): keep(client)
        case .readEntry(let credential, let name, let id):
            let (store, send, session, known) = (
                store, send, session, name == nil ? reader.snapshot(of: credential) : nil
            )
            aside {
                let text = await BlockingExecutor.run {
                    if let name { Self.entry(credential, name, session) } else { Self.entry(credential, store, known) }
                }
                send(.reply(.entry(text), id))
            }
        case .export(let text, let name):
            changeFiles { [session, send] in
                do throws(Failure) {
                    try await BlockingExecutor.run { () throws(Failure) in
                        try ClaimsFile.write(text, to: name, path: session.environment.expand(name))
                    }
                    send(.notice("written to \(name) (mode 0600)"))
                } catch { send(.notice("not written: \(error.message)")) }
            }
        case .verify(let credential, let host, let id):
            let (provider, known, send) = (provider, session.knownIssuers(), send)
            if !credential.isPasted, (try? DecodedJWT(credential.secret)) == nil {
                let clients = clients
                aside {
                    do throws(Failure) {
                        let place = credential.issuer.flatMap { try? Authority(ofIssuer: $0) }
                        let application = try clients.entry(credential.clientID, at: place).application
                        send(.reply(.verified(try await application.verification(of: credential)), id))
                    } catch { send(.reply(.verified(.failed(error.message)), id)) }
                }
                return
            }
            aside { send(.reply(.verified(await Self.verify(credential, mayAsk: host, provider, known)), id)) }
        case .examine(let id):
            let (diagnostics, send) = (
                Diagnostics(choices: session.shared, homeOfPrograms: session.homeOfPrograms), send
            )
            tasks[id] = Task { [weak self] in
                _ = await self?.changedSession()
                _ = await BlockingExecutor.run {
                    await diagnostics.findings { send(.reply(.examination($0), id)) }
                }
                send(.reply(.examination(.over), id))
                self?.forget(id)
            }
        case .copy, .copySecret, .clearClipboard, .showTheme, .mouse, .redraw, .suspend, .quit, .openDemo:
            break
        }
    }

    /// - Parameter host: the host that the user allowed; nil if not asked.
    private nonisolated static func verify(
        _ credential: CachedCredential, mayAsk host: String?, _ provider: Provider, _ known: KnownIssuers
    ) async -> Verification {
        guard let jwt = try? DecodedJWT(credential.secret) else { return .failed("opaque token") }
        do throws(Failure) {
            return try await Verification.check(jwt, provider: provider, known: known) { place in
                known.isConfigured(place) || place.host == host
                    // The account was signed in there.
                    || (!credential.isPasted && place.host == credential.environment)
            }
        } catch { return .failed(error.message) }
    }

    /// - Parameter known: the snapshot to search; nil reads the store.
    private nonisolated static func entry(
        _ credential: CachedCredential, _ cache: TokenCache, _ known: CacheSnapshot?
    ) -> String {
        do throws(StoreError) {
            let snapshot = if let known { known } else { try cache.read() }
            return MaskedEntry.text(of: credential, in: snapshot) ?? "the entry is no longer in the store"
        } catch { return error.message }
    }

    func cancelAll() {
        follower.end()
        for task in tasks.values { task.cancel() }
        for task in asides.values { task.cancel() }
        for stream in pasted.values { stream.finish() }
        for stream in answers.values { stream.finish() }
    }

    func close() async {
        await changing?.value
        // Removals that can no longer be undone leave nothing behind.
        try? store.abandon(Array(removedEntries.values))
        await provider.close()
    }

    private func noteUse(of account: AccountID) {
        guard let recent else { return }
        changeFiles {
            // Failing to save this only affects the order of accounts.
            await BlockingExecutor.run { try? recent.note(account, at: Date()) }
        }
    }

    /// Changes files one after the other in the order requested, as each change reads the result of the previous one.
    /// They end with ``close()``, and nothing cancels them.
    func changeFiles(_ work: @escaping @MainActor () async -> Void) {
        let before = changing
        changing = Task {
            await before?.value
            await work()
        }
    }

    /// The session after all file changes requested so far.
    func changedSession() async -> CommandContext {
        await changing?.value
        return session
    }

    /// Runs work without a request, until it ends or the interface does.
    func aside(_ work: @escaping @MainActor () async -> Void) {
        lastAside += 1
        let number = lastAside
        asides[number] = Task { [weak self] in
            await work()
            self?.asides[number] = nil
        }
    }

    /// Sends the time at intervals.
    func ticking(every interval: Duration = .seconds(1)) -> Task<Void, Never> {
        Task { [send] in
            while (try? await Task.sleep(for: interval)) != nil { send(.tick(Date())) }
        }
    }

    typealias Work =
        @Sendable (PublicClientApplication, @escaping @Sendable (Message) -> Void) async throws(Failure) -> Void

    func start(_ id: RequestID, _ use: ClientUse, _ correlationID: UUID? = nil, _ work: @escaping Work) {
        let send = send
        send(.reply(.began(at: Date(), correlationID: correlationID), id))
        let began = ContinuousClock.now
        do {
            let application = try clients.entry(use).application
            tasks[id] = Task { [weak self] in
                do throws(Failure) {
                    try await BlockingExecutor.run { () throws(Failure) in try await work(application, send) }
                } catch { send(.reply(.failed(error), id)) }
                send(.reply(.ended(milliseconds: began.milliseconds), id))
                self?.forget(id)
            }
        } catch { send(.reply(.failed(error), id)) }
    }

    func forget(_ id: RequestID) {
        tasks[id] = nil
        pasted[id] = nil
        answers[id] = nil
    }

    private func signIn(_ wanted: SignInRequest, _ id: RequestID) {
        let agents = userAgents(id)
        let request = wanted.request.numbered
        let note: @MainActor @Sendable (AccountID) -> Void = { [weak self] in self?.noteUse(of: $0) }
        let (session, store, clients) = (session, store, clients)
        start(id, wanted.use, request.correlationID) { application, send throws(Failure) in
            let before = try? application.cached.snapshot()
            let token = try await application.acquireToken(request, userAgents: agents) {
                send(.reply(.signIn($0), id))
            }
            if var choice = try? clients.entry(wanted.use).choice {
                choice.authority = choice.authority ?? request.authority?.address.text
                session.noteSignIn(choice, before: before, in: store)
            }
            await note(token.account.id)
            send(.reply(.acquired(token), id))
        }
    }

    private func lookUp(_ authority: Authority, _ clientID: String, _ id: RequestID) {
        let (clients, send) = (clients, send)
        tasks[id] = Task { [weak self] in
            do throws(Failure) {
                let support = try await BlockingExecutor.run { () throws(Failure) in
                    try await clients.entry(clientID, at: authority).application.support(at: authority)
                }
                send(.reply(.provider(support), id))
            } catch { send(.reply(.failed(error), id)) }
            self?.forget(id)
        }
    }

    /// Saves another store's family refresh token in foyer's if allowed and needed, as `foyer token` does.
    private func borrowing(_ account: Account?, _ use: ClientUse) -> @Sendable () async throws(Failure) -> Step? {
        let (session, store, clients) = (session, store, clients)
        return { () throws(Failure) in
            let client = try clients.entry(use).choice
            guard let account, session.settings.selects(client, session.settings.familyOfOtherStores) else {
                return nil
            }
            let snapshot = try Failure.translating(try store.read())
            return try session.borrowingFamily(snapshot, store, client) { $0.id.isSamePerson(as: account.id) }.step
        }
    }

    func userAgents(_ id: RequestID) -> UserAgents {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        pasted[id] = continuation
        let (replies, answering) = AsyncStream.makeStream(of: SignInReply.self)
        answers[id] = answering
        let send = send
        let browser = browser
        var agents = UserAgents(
            automatic: { browser.automaticMethod() },
            openBrowser: { address throws(BrowserProblem) in try await browser.open(address) },
            openPrivateWindow: { address throws(BrowserProblem) in try await browser.openPrivately(address) },
            openTextBrowser: { [weak self] address throws(BrowserProblem) in try await self?.openTextBrowser(address) },
            pastedLines: { lines },
            answer: { question in
                send(.reply(.question(question), id))
                for await reply in replies { return reply }
                return nil
            })
        agents.patience = session.patience
        return agents
    }

    private func openTextBrowser(_ address: WebAddress) async throws(BrowserProblem) {
        let browser = browser
        let (results, sink) = AsyncStream.makeStream(of: BrowserProblem?.self)
        await runTextBrowser {
            do throws(BrowserProblem) {
                try await browser.openInTerminal(address)
                sink.yield(nil)
            } catch { sink.yield(error) }
        }
        sink.finish()
        for await problem in results { if let problem { throw problem } }
    }
}

extension TokenRequest {
    fileprivate var numbered: TokenRequest {
        var request = self
        request.correlationID = UUID()
        return request
    }
}

extension ContinuousClock.Instant {
    var milliseconds: Int { duration(to: .now).milliseconds }
}
