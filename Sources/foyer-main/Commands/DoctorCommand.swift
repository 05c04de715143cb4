import AppModel
import ArgumentParser
import CommandSupport
import Console
import Explain
import FoundationEssentials
import Identity
import SilentCore
import SilentFirst
import StrictJSON
import Terminal
import TokenCache
import TokenCalls
import Wire

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check for problems and how to fix them",
        discussion: "Checks settings, store, terminal, browser, broker, other programs, network and clock.")
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let choices = try shared.choices()
        let output = Output(json: choices.json, verbose: choices.verbose, noColor: true)
        let line = (try? CommandContext(choices)).flatMap { StatusLine($0) }
        line?.show(after: 1, counting: "checking")
        let findings = await Diagnostics(choices: choices).findings { _ in }
        line?.stop()
        output.result(JSONValue(("findings", .array(findings.map(\.json)))), or: findings.flatMap(\.lines))
        if let worst = findings.first(where: { $0.verdict == .bad }) {
            output.leave(worst.failure?.exitStatus ?? 78)
        }
    }
}

extension DoctorFinding {
    init(_ subject: String, _ failure: Failure) {
        self.init(subject, .bad, failure.message, hint: failure.hint?.words)
        self.failure = failure.code
    }

    var lines: [String] { [line] + (hint.map { ["     " + $0] } ?? []) }

    var json: JSONValue {
        JSONValue(
            ("subject", subject.json), ("verdict", verdict.rawValue.json), ("detail", detail.json), ("hint", hint.json))
    }
}

/// Checks everything once; a problem that prevents the next step ends the checks.
struct Diagnostics: Sendable {
    let choices: TokenOptions
    /// Searched for other programs' stores instead of the user's home.
    var homeOfPrograms: String?
    /// No network, and no waiting for a store that another process writes.
    var isQuick = false

    /// - Parameter tell: called with each subject before its check, and with each finding.
    func findings(_ tell: @Sendable (DoctorEvent) -> Void) async -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        func look(_ subject: String, _ examine: () async -> [DoctorFinding]) async {
            guard !Task.isCancelled else { return }
            tell(.looking(subject))
            for finding in await examine() {
                findings.append(finding)
                tell(.found(finding))
            }
        }
        var session: CommandContext
        do throws(Failure) { session = try CommandContext(choices) } catch {
            await look("settings") { [DoctorFinding("settings", error)] }
            return findings
        }
        session.homeOfPrograms = homeOfPrograms
        await look("settings") { [settings(session)] + clientSecret(session) + registrations(session) }
        await look("store") { [await store(session)] + brokenMove(session) }
        await look("other stores") { otherStores(session) }
        await look("terminal") { [terminal(session)] }
        await look("sign-in") { [browser(session)] }
        await look("broker") { [broker(session)] }
        // Programs are set up in the user's home, never in a substitute.
        if homeOfPrograms == nil { await look("programs") { programs(session) } }
        await look("temporary folders") { temporaryFolders(session) }
        if !isQuick { await look("network") { await provider(session) } }
        return findings
    }

    /// Folders left by killed processes.
    private func temporaryFolders(_ session: CommandContext) -> [DoctorFinding] {
        TemporaryFolder.leftBehind(session.environment).map {
            DoctorFinding(
                "temporary folder", .note, "\($0) was left by a killed foyer process and may contain a token",
                hint: "remove it: rm -r \($0.shellWord)")
        }
    }

    private func settings(_ session: CommandContext) -> DoctorFinding {
        let count = session.settings.clients.count
        guard count > 0 else {
            return DoctorFinding(
                "settings", .note, "no client in \(session.settings.path)",
                hint: """
                    write client = "work" and [clients.work] with client_id and authority, or use --client-id and \
                    --authority
                    """)
        }
        return DoctorFinding("settings", .good, "\(session.settings.path), \(counted(count, "client"))")
    }

    private func registrations(_ session: CommandContext) -> [DoctorFinding] {
        session.unfinishedRegistrations.map { DoctorFinding("registration", .note, $0.words, hint: $0.advice) }
    }

    /// Whether the client's secret can be read; starts no program, and opens no locked store.
    private func clientSecret(_ session: CommandContext) -> [DoctorFinding] {
        do throws(Failure) {
            guard let client = try session.clientIfAny() else { return [] }
            let cache = try session.cacheForLooking(client)
            let configuration = try session.cachedClient(client, cache: cache).configuration
            guard let source = configuration.clientSecret?.source else { return [] }
            switch source {
            case .command, .published: return []
            case .kept: guard try Failure.translating(try cache.status()).isOpen else { return [] }
            case .file: break
            }
            _ = try ClientSecretReader(configuration, cache).secret(source)
            return [DoctorFinding("client secret", .good, "the secret of \(client.name) can be read")]
        } catch { return [DoctorFinding("client secret", error)] }
    }

    private func store(_ session: CommandContext) async -> DoctorFinding {
        do throws(Failure) {
            var cache = try session.cache(try session.clientIfAny())
            if isQuick { cache = cache.withoutWaiting }
            let status = try Failure.translating(try cache.status())
            let name = cache.spec?.kind == .file ? cache.path : session.label(cache)
            let kind = StoreProtection.words(
                cache.spec?.kind ?? .file, openMode: StoreProtection.openMode(of: cache.spec))
            let better = session.commandToProtect(cache.spec).map { "to protect it: \($0)" }
            guard status.isThere else {
                return DoctorFinding("store", .good, "\(name) is created at the first sign-in; \(kind)", hint: better)
            }
            guard status.isOpen else {
                return DoctorFinding("store", .note, "\(name), \(kind), is locked", hint: "run: foyer store unlock")
            }
            let accounts: Int
            let damaged: [DamagedEntry]
            let undecodable: Int
            do throws(StoreError) {
                (accounts, damaged, undecodable) = try cache.reading { reading, overviews in
                    let suspects = reading.suspects
                    return (
                        reading.accounts(overviews).count, suspects.damagedEntries(), suspects.undecodableCount
                    )
                }
                // Fails here for every reason that would stop a sign-in or a refresh from saving its tokens.
                try await cache.reserve().release()
            } catch { throw Failure(error) }
            if let worst = damaged.first(where: \.stopsOthers) ?? damaged.first {
                let count = counted(damaged.count, "damaged entry", "damaged entries")
                let effect = worst.stopsOthers ? "; breaks MSAL for Python until removed" : ""
                return DoctorFinding(
                    "store", .note, "\(name) has \(count), such as \(worst.words)\(effect)",
                    hint: worst.canGo ? "to remove them: foyer clean" : "to see them all: foyer tokens")
            }
            if undecodable > 0 {
                return DoctorFinding(
                    "store", .note,
                    """
                    \(name) has \(counted(undecodable, "entry", "entries")) with invalid Unicode (unpaired \
                    surrogate)
                    """,
                    hint: "their tokens are not used; they stay unchanged until you sign in again")
            }
            if let warning = cache.warnings().first { return DoctorFinding("store", .note, warning) }
            return DoctorFinding("store", .good, "\(name), \(kind), \(counted(accounts, "account"))", hint: better)
        } catch { return DoctorFinding("store", error) }
    }

    /// A copy of the store left by a killed move; none if the settings name it.
    private func brokenMove(_ session: CommandContext) -> [DoctorFinding] {
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
            case .file(let path):
                "; or remove the copy: rm -f "
                    + ["", ".keys", ".secrets"].map { (path + $0).shellWord }.joined(separator: " ")
            case .encrypted(let path): "; or remove the copy: rm -f \(path.shellWord)"
            case .keyring: ""
            }
        return [
            DoctorFinding(
                "store", .note, "a move to \(place) was interrupted and left a copy of the tokens",
                hint: move + removal)
        ]
    }

    /// Other stores with tokens on this machine; `foyer stores --all` also lists empty locations.
    private func otherStores(_ session: CommandContext) -> [DoctorFinding] {
        do throws(Failure) {
            let found = try session.findings(try session.clientIfAny(), isCounting: true).dropFirst()
            let lines = found.filter { $0.availability != .absent }.flatMap { finding -> [DoctorFinding] in
                let source = finding.source
                let place = "\(source.program), \(session.short(source.place))"
                let counts = counted(finding.accountCount, "account") + ", " + counted(finding.tokenCount, "token")
                let outcome =
                    switch finding.availability {
                    case .usable:
                        DoctorFinding(
                            source.name, .good, "\(place), \(counts)" + (source.mayWrite ? "" : ", read-only"))
                    case .empty, .absent: DoctorFinding(source.name, .good, "\(place), no accounts")
                    case .protected(let protection):
                        DoctorFinding(source.name, .note, "\(place), protected by \(protection)")
                    case .refused(let why, let hint):
                        DoctorFinding(source.name, .note, "\(source.program): \(why)", hint: hint?.words)
                    }
                return [outcome] + finding.notes.map { DoctorFinding(source.name, .note, $0) }
            }
            return lines.isEmpty
                ? [
                    DoctorFinding(
                        "other stores", .good, "\(found.count) locations checked, no other token stores")
                ] : lines
        } catch { return [DoctorFinding("other stores", error)] }
    }

    private func terminal(_ session: CommandContext) -> DoctorFinding {
        guard ProcessGuard.isTerminal else {
            return DoctorFinding("terminal", .note, "not a terminal: the interface cannot start, commands work")
        }
        guard let kind = session.environment["TERM"], kind != "dumb" else {
            return DoctorFinding(
                "terminal", .note, "TERM is unset or dumb: the interface cannot start, commands work",
                hint: "set TERM, for example xterm-256color")
        }
        return DoctorFinding("terminal", .good, kind)
    }

    private func browser(_ session: CommandContext) -> DoctorFinding {
        let (method, reason) = Browser(environment: session.environment, command: nil).automaticMethod()
        return DoctorFinding("sign-in", .good, "auto: \(method.words) (\(reason))")
    }

    /// The provider's metadata shows the network and the certificates; its Date header shows the clock.
    private func provider(_ session: CommandContext) async -> [DoctorFinding] {
        do throws(Failure) {
            guard let client = try session.clientIfAny() else {
                return [DoctorFinding("network", .note, "not checked: no client configured")]
            }
            let authority = try session.authority(client)
            let address: WebAddress
            do { address = try WebAddress(authority.address.origin + "/") } catch {
                throw Failure(.configuration, "\(authority): \(error)")
            }
            let provider = Provider(session.network())
            let answers = DoctorFinding("network", .good, "\(authority.address.hostAndPort) answers")
            do throws(WireError) {
                let reply = try await provider.transport.send(HTTPRequest(address))
                return [answers, clock(reply), await metadata(session, client, provider)]
            } catch .redirected { return [answers, await metadata(session, client, provider)] } catch {
                await provider.close()
                throw Failure(error)
            }
        } catch { return [DoctorFinding("network", error)] }
    }

    /// Fetched and checked as in a sign-in: a server that answers may not be a provider.
    private func metadata(
        _ session: CommandContext, _ client: ClientChoice, _ provider: Provider
    ) async -> DoctorFinding {
        let outcome: DoctorFinding
        do throws(Failure) {
            let metadata = try await session.application(client, provider: provider).examineProvider()
            let ways = metadata.device == nil ? "sign-in by browser" : "sign-in by browser and by device code"
            outcome = DoctorFinding("provider", .good, "\(metadata.issuer), \(ways)")
        } catch { outcome = DoctorFinding("provider", error) }
        await provider.close()
        return outcome
    }

    private func clock(_ reply: HTTPReply) -> DoctorFinding {
        guard let there = reply.date else {
            return DoctorFinding("clock", .note, "the provider sends no Date header")
        }
        let apart = abs(there.timeIntervalSinceNow)
        guard apart > 120 else { return DoctorFinding("clock", .good, "within two minutes of the provider's") }
        return DoctorFinding(
            "clock", .bad, "off by \(TimeSpan.words(apart)) from the provider's clock",
            hint: "set this machine's clock; tokens will look expired or not yet valid")
    }
}
