import AppModel
import FoundationEssentials
import Identity
import Synchronization

/// What was asked for while the plain mode is open and what came of it, the latest two hundred.
final class PlainLog: Sendable {
    struct Entry: Sendable {
        let what: String
        let who: String
        let client: String
        let startedAt: Date
        let correlationID: UUID?
        fileprivate(set) var outcome = "under way"
        fileprivate(set) var steps: [Step] = []
        fileprivate(set) var milliseconds = 0
    }

    private let noted = Mutex<[Entry]>([])
    private static let limit = 200

    var entries: [Entry] { noted.withLock { $0 } }

    /// Runs the work so that Ctrl-C gives it up, and notes its steps and its end.
    func follow<Value: Sendable>(
        _ what: String, _ who: String, _ client: String, _ correlationID: UUID?,
        _ work: @escaping @Sendable (@escaping @Sendable (Step) -> Void) async -> Result<Value, Failure>,
        outcome: (Value) -> String
    ) async throws(Failure) -> Value {
        let steps = Mutex<[Step]>([])
        let clock = ContinuousClock()
        let start = clock.now
        var entry = Entry(what: what, who: who, client: client, startedAt: Date(), correlationID: correlationID)
        func close(_ words: String) {
            entry.outcome = words
            entry.steps = steps.withLock { $0 }
            entry.milliseconds = Int((clock.now - start) / .milliseconds(1))
            noted.withLock { noted in
                noted.append(entry)
                if noted.count > Self.limit { noted.removeFirst() }
            }
        }
        do throws(Failure) {
            let value = try await PlainTask.run {
                await work { step in steps.withLock { if $0.count < Self.limit { $0.append(step) } } }
            }
            close(outcome(value))
            return value
        } catch {
            close("\(error.code.rawValue): \(error.message)")
            throw error
        }
    }
}

extension PlainInterface {
    func showLog() async {
        while true {
            let entries = Array(log.entries.reversed())
            guard !entries.isEmpty else {
                say("nothing was asked for yet")
                return
            }
            let rows = entries.map {
                "\($0.what) of \($0.who.isEmpty ? "nobody named" : $0.who) for \($0.client): \($0.outcome)"
            }
            let number = await choose(rows, zero: "back")
            guard number > 0 else { return }
            let entry = entries[number - 1]
            say("  began: \(entry.startedAt.rfc3339), took \(entry.milliseconds) ms")
            if let id = entry.correlationID { say("  correlation identifier: \(id.uuidString.lowercased())") }
            for step in entry.steps { say(Self.words(step)) }
        }
    }

    func examine() async {
        let choices = session.shared
        await told { () async throws(Failure) in
            try await PlainTask.run {
                _ = await Diagnostics(choices).findings { event in
                    if case .found(let finding) = event { finding.lines.forEach(say) }
                }
                return .success(())
            }
        }
    }

    /// Lists what is set and by whom, and changes what can be changed by choosing; it holds from the next start.
    func settings() async {
        while true {
            guard let session = try? CommandContext(session.shared, environment: session.environment) else {
                say("the settings cannot be read; the doctor says why")
                return
            }
            let lines = session.settingLines()
            let number = await choose(lines.map { "\($0.name): \($0.value)" }, zero: "back")
            guard number > 0 else { return }
            let line = lines[number - 1]
            switch line.source {
            case .option(let name), .environment(let name):
                say("\(name) says so, which is stronger than the settings file")
                continue
            case .file, .standard: break
            }
            switch line.choice {
            case .byHand: say("this is written by hand: \(session.settings.path)")
            case .oneOf(let values): await keep(line, values, in: session)
            case .theme: await keep(line, Interface.themeNames(session), in: session)
            case .mouse: await keep(line, ["on", "off"], in: session)
            }
        }
    }

    /// Lists what was looked for, and changes what is allowed with a store by choosing.
    func stores() async {
        var showsAbsent = false
        while true {
            var lines: [StoreLine] = []
            await told { () async throws(Failure) in lines = try session.readingSettingsAgain().storeLines() }
            let shown = lines.filter { showsAbsent || $0.isOwn || $0.state != .absent }
            let number = await choose(
                shown.map { store in
                    let holds = store.state == .usable ? ", \(Self.counted(store.accounts, "account"))" : ""
                    return
                        "\(store.name): \(store.isOwn ? "foyer's own" : store.program), \(store.state.word)\(holds), "
                        + (store.isWritable ? "read and written" : "read-only") + (store.isHidden ? ", hidden" : "")
                } + ["the places where nothing is, \(showsAbsent ? "not any more" : "too")"], zero: "back")
            guard number > 0 else { return }
            if number > shown.count {
                showsAbsent.toggle()
            } else {
                await visit(shown[number - 1])
            }
        }
    }

    private func visit(_ store: StoreLine) async {
        say("  place: \(store.place)")
        for remark in store.findings { say("  \(remark)") }
        guard !store.isOwn else { return }
        let number = await choose(
            [
                store.isHidden ? "its accounts shall be in the list" : "its accounts shall not be in the list",
                store.isWritable
                    ? "foyer shall only read it" : "foyer may remove accounts from it; each removal asks first",
            ], zero: "as it is")
        guard number > 0 else { return }
        await told { () async throws(Failure) in
            let file = SettingsFile(session.settings.path)
            if number == 1 {
                try file.set("hidden", ofStore: store.name, to: !store.isHidden)
            } else {
                try file.set("write", ofStore: store.name, to: !store.isWritable)
            }
            say("it is in \(session.short(session.settings.path)) now")
        }
    }

    private func keep(_ line: SettingLine, _ values: [String], in session: CommandContext) async {
        let number = await choose(values, zero: "as it is")
        guard number > 0 else { return }
        await told { () async throws(Failure) in
            let file = SettingsFile(session.settings.path)
            if case .mouse = line.choice {
                try file.set(line.name, to: number == 1)
            } else {
                try file.set(line.name, to: values[number - 1])
            }
            say("\(line.name) is in \(session.short(session.settings.path)) now; it holds from the next start")
        }
    }
}
