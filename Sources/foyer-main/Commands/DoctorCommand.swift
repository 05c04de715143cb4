import AppModel
import ArgumentParser
import CommandSupport
import Console
import Explain
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import Terminal
import TokenCache
import Wire

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check for problems and say what to do",
        discussion: """
            Looks at settings, store, terminal, browser, broker, other programs, network and clock.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let choices = try shared.choices()
        let output = Output(json: choices.json, verbose: choices.verbose, noColor: true)
        let line = (try? CommandContext(choices)).flatMap { StatusLine($0) }
        line?.show(after: 1, counting: "checking")
        let findings = await Diagnostics(choices).findings { _ in }
        line?.stop()
        output.result(
            JSONValue(("findings", .array(findings.map(\.finding.json)))), or: findings.flatMap(\.finding.lines))
        if let worst = findings.first(where: { $0.finding.verdict == .bad }) {
            output.leave(worst.failure?.exitStatus ?? 78)
        }
    }
}

extension DoctorFinding {
    var lines: [String] { ["\(verdict.word) \(subject): \(detail)"] + (hint.map { ["     " + $0] } ?? []) }

    var json: JSONValue {
        JSONValue(
            ("subject", subject.json), ("verdict", verdict.rawValue.json), ("detail", detail.json), ("hint", hint.json))
    }
}

/// Checks everything once; a problem that prevents the next step ends the checks.
struct Diagnostics: Sendable {
    /// A finding, and what the command leaves with when it is the first bad one.
    struct CheckResult: Sendable {
        var finding: DoctorFinding
        var failure: Failure.Code?

        init(_ subject: String, _ verdict: DoctorFinding.Verdict, _ detail: String, hint: String? = nil) {
            finding = DoctorFinding(subject, verdict, detail, hint: hint)
        }

        init(_ subject: String, _ failure: Failure) {
            finding = DoctorFinding(subject, .bad, failure.message, hint: failure.hint?.words)
            self.failure = failure.code
        }
    }

    private let choices: TokenOptions
    private let homeOfPrograms: String?
    private let isQuick: Bool

    /// - Parameters:
    ///   - homeOfPrograms: where other programs' stores are looked for instead of the person's home.
    ///   - isQuick: without the network, and without waiting for a store that another process writes.
    init(_ choices: TokenOptions, homeOfPrograms: String? = nil, isQuick: Bool = false) {
        (self.choices, self.homeOfPrograms, self.isQuick) = (choices, homeOfPrograms, isQuick)
    }

    /// - Parameter tell: called with what is being checked, and with each finding.
    func findings(_ tell: @Sendable (DoctorEvent) -> Void) async -> [CheckResult] {
        var findings: [CheckResult] = []
        func look(_ subject: String, _ examine: () async -> [CheckResult]) async {
            guard !Task.isCancelled else { return }
            tell(.looking(subject))
            for outcome in await examine() {
                findings.append(outcome)
                tell(.found(outcome.finding))
            }
        }
        var session: CommandContext
        do throws(Failure) { session = try CommandContext(choices) } catch {
            await look("settings") { [CheckResult("settings", error)] }
            return findings
        }
        session.homeOfPrograms = homeOfPrograms
        await look("settings") { [settings(session)] }
        await look("store") { [await store(session)] + brokenMove(session) }
        await look("other stores") { otherStores(session) }
        await look("terminal") { [terminal(session)] }
        await look("sign-in") { [browser(session)] }
        await look("broker") { [broker(session)] }
        // They are those of the person, not of somebody else's home.
        if homeOfPrograms == nil { await look("programs") { programs(session) } }
        await look("temporary folders") { temporaryFolders(session) }
        if !isQuick { await look("network") { await provider(session) } }
        return findings
    }

    /// What a process that was killed could not take away.
    private func temporaryFolders(_ session: CommandContext) -> [CheckResult] {
        TemporaryFolder.leftBehind(session.environment).map {
            CheckResult(
                "temporary folder", .note, "\($0) was left behind by a foyer that was killed; a token may be in it",
                hint: "remove it: rm -r \($0.shellWord)")
        }
    }

    private func settings(_ session: CommandContext) -> CheckResult {
        let count = session.settings.clients.count
        guard count > 0 else {
            return CheckResult(
                "settings", .note, "\(session.settings.path) names no client",
                hint:
                    """
                    write client = \"work\" and [clients.work] with client_id and authority, or use --client-id \
                    and --authority
                    """
            )
        }
        return CheckResult("settings", .good, "\(session.settings.path), \(count) client\(count == 1 ? "" : "s")")
    }

    private func store(_ session: CommandContext) async -> CheckResult {
        do throws(Failure) {
            var cache = try session.cache(try session.clientIfAny())
            if isQuick { cache = cache.withoutWaiting }
            let status: StoreStatus
            do { status = try cache.status() } catch { throw Failure(error) }
            let name = cache.spec?.kind == .file ? cache.path : session.label(cache)
            let kind = StoreProtection.words(
                cache.spec?.kind ?? .file, openMode: StoreProtection.openMode(of: cache.spec))
            let better = session.commandToProtect(cache.spec).map { "to protect it: \($0)" }
            guard status.isThere else {
                return CheckResult("store", .good, "\(name) is created at the first sign-in; \(kind)", hint: better)
            }
            guard status.isOpen else {
                return CheckResult("store", .note, "\(name), \(kind), is locked", hint: "run: foyer store unlock")
            }
            let snapshot: CacheSnapshot
            do throws(StoreError) {
                snapshot = try cache.read()
                // Whatever a sign-in or a refresh would be refused for, while nothing is at stake.
                try await cache.reserve().release()
            } catch { throw Failure(error) }
            let accounts = snapshot.accounts(clientID: nil).count
            let damaged = snapshot.damagedEntries()
            if let worst = damaged.first(where: \.stopsOthers) ?? damaged.first {
                let count = "\(damaged.count) damaged entr\(damaged.count == 1 ? "y" : "ies")"
                let effect = worst.stopsOthers ? "; MSAL for Python fails for everybody until it is removed" : ""
                return CheckResult(
                    "store", .note, "\(name) has \(count), such as \(worst.words)\(effect)",
                    hint: worst.canGo ? "to remove them: foyer clean" : "to see them all: foyer tokens")
            }
            let undecodable = snapshot.undecodableCount
            if undecodable > 0 {
                return CheckResult(
                    "store", .note,
                    """
                    \(name) has \(undecodable) entr\(undecodable == 1 ? "y" : "ies") with a text that cannot be \
                    decoded: half of a surrogate pair
                    """,
                    hint: "tokens in them are not used; they are kept as they are until the person signs in again")
            }
            if let warning = cache.warnings().first { return CheckResult("store", .note, warning) }
            return CheckResult(
                "store", .good, "\(name), \(kind), \(accounts) account\(accounts == 1 ? "" : "s")", hint: better)
        } catch { return CheckResult("store", error) }
    }

    /// A copy of the store that a move has left when it was killed; none where the settings name it.
    private func brokenMove(_ session: CommandContext) -> [CheckResult] {
        let named = ([session.settings.store] + session.settings.clients.map(\.store)).compactMap { text in
            text.flatMap { try? session.spec($0) }
        }
        let client = (try? session.clientIfAny()) ?? nil
        guard let cache = try? session.cacheForLooking(client),
            let place = cache.brokenMove({ text in
                (try? session.spec(text)).map { TokenCache($0, keys: session.keys) }
            })?.spec, !named.contains(place)
        else { return [] }
        let move = "move again: foyer store move --to \(place.description.shellWord)"
        let removal =
            switch place {
            case .file(let path): "; or remove the copy: rm -f \(path.shellWord) \((path + ".keys").shellWord)"
            case .encrypted(let path): "; or remove the copy: rm -f \(path.shellWord)"
            case .keyring: ""
            }
        return [
            CheckResult(
                "store", .note, "a move to \(place) was broken off, and a copy of the tokens is there",
                hint: move + removal)
        ]
    }

    /// What else holds tokens here: places where nothing is are left to `foyer stores --all`.
    private func otherStores(_ session: CommandContext) -> [CheckResult] {
        do throws(Failure) {
            let found = try session.findings(try session.clientIfAny()).dropFirst()
            let lines = found.filter { $0.availability != .absent }.flatMap { finding -> [CheckResult] in
                let access = finding.source.mayWrite ? "" : ", read-only"
                let place = "\(finding.source.program), \(session.short(finding.source.place))"
                let counts =
                    """
                    \(finding.accountCount) account\(finding.accountCount == 1 ? "" : "s"), \(finding.tokenCount) \
                    token\(finding.tokenCount == 1 ? "" : "s")
                    """
                let outcome =
                    switch finding.availability {
                    case .usable: CheckResult(finding.source.name, .good, "\(place), \(counts)\(access)")
                    case .empty, .absent: CheckResult(finding.source.name, .good, "\(place), nobody is signed in")
                    case .protected(let protection):
                        CheckResult(finding.source.name, .note, "\(place), kept by \(protection)")
                    case .refused(let why, let hint):
                        CheckResult(finding.source.name, .note, "\(finding.source.program): \(why)", hint: hint?.words)
                    }
                return [outcome] + finding.notes.map { CheckResult(finding.source.name, .note, $0) }
            }
            return lines.isEmpty
                ? [
                    CheckResult(
                        "other stores", .good,
                        "\(found.count) places checked, no other program keeps tokens here")
                ] : lines
        } catch { return [CheckResult("other stores", error)] }
    }

    private func terminal(_ session: CommandContext) -> CheckResult {
        guard ProcessGuard.isTerminal else {
            return CheckResult("terminal", .note, "standard input and output are no terminal; the commands work")
        }
        guard let kind = session.environment["TERM"], kind != "dumb" else {
            return CheckResult(
                "terminal", .note, "TERM says that it cannot move the cursor; the commands work",
                hint: "set TERM, such as xterm-256color")
        }
        return CheckResult("terminal", .good, kind)
    }

    private func browser(_ session: CommandContext) -> CheckResult {
        let (method, reason) = Browser(session.environment, command: nil).automaticMethod()
        return CheckResult(
            "sign-in", .good, "auto: \(method.words) (\(reason))")
    }

    /// The provider's metadata shows the network and the certificates; its Date header shows the clock.
    private func provider(_ session: CommandContext) async -> [CheckResult] {
        do throws(Failure) {
            guard let client = try session.clientIfAny() else {
                return [CheckResult("network", .note, "not checked: no client is named")]
            }
            let authority = try session.authority(client)
            let address: WebAddress
            do { address = try WebAddress(authority.address.origin + "/") } catch {
                throw Failure(.configuration, "\(authority): \(error)")
            }
            let provider = Provider(session.network())
            let answer: Result<HTTPReply, WireError>
            do throws(WireError) { answer = .success(try await provider.transport.send(HTTPRequest(address))) } catch {
                answer = .failure(error)
            }
            let answers = CheckResult("network", .good, "\(authority.address.hostAndPort) answers")
            switch answer {
            case .success(let reply): return [answers, clock(reply), await metadata(session, client, provider)]
            case .failure(.redirected): return [answers, await metadata(session, client, provider)]
            case .failure(let error):
                await provider.close()
                throw Failure(error)
            }
        } catch { return [CheckResult("network", error)] }
    }

    /// As a sign-in asks for it and judges it: an address that answers is no provider yet.
    private func metadata(_ session: CommandContext, _ client: ClientChoice, _ provider: Provider) async -> CheckResult
    {
        let outcome: CheckResult
        do throws(Failure) {
            let metadata = try await session.application(client, provider: provider).examineProvider()
            let ways = metadata.device == nil ? "sign-in by browser" : "sign-in by browser and by device code"
            outcome = CheckResult("provider", .good, "\(metadata.issuer), \(ways)")
        } catch { outcome = CheckResult("provider", error) }
        await provider.close()
        return outcome
    }

    private func clock(_ reply: HTTPReply) -> CheckResult {
        guard let there = reply.date else {
            return CheckResult("clock", .note, "the provider sends no time")
        }
        let apart = abs(there.timeIntervalSinceNow)
        guard apart > 120 else { return CheckResult("clock", .good, "within two minutes of the provider's") }
        return CheckResult(
            "clock", .bad, "\(TimeSpan.words(apart)) apart from the provider's",
            hint: "set this machine's clock; tokens will look expired or not yet valid")
    }
}
