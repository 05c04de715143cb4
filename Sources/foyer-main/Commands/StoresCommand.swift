import AppModel
import ArgumentParser
import CommandSupport
import Identity
import StrictJSON
import TokenCache

struct AllStoresOption: ParsableArguments {
    @Flag(name: .customLong("all-stores"), help: "Include all programs' stores")
    var isOn = false

    init() {}
    init(isOn: Bool) { self.isOn = isOn }
}

struct StoresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stores",
        abstract: "List the token stores of all programs on this machine",
        discussion: """
            Other programs' stores are read-only. To let foyer remove accounts from one, set in the settings: \
            [stores.NAME] and write = true.
            Any cache in MSAL's format can be added there: [stores.mine] and path = "/PATH/OF/THE/CACHE.json".
            """)
    @Flag(help: "Include locations that do not exist")
    var all = false
    @OptionGroup var wide: WideOption
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let findings = try session.shownFindings(try session.clientIfAny(), isCounting: true)
        if shared.json {
            return session.output.result(JSONValue(("stores", .array(findings.map(\.json)))))
        }
        let shown = findings.filter { all || $0.availability != .absent || $0.isOwn }
        // foyer's own store first, then those that need attention.
        let others = shown.filter { !$0.isOwn }
        let ordered = shown.filter(\.isOwn) + others.filter(\.needsPerson) + others.filter { !$0.needsPerson }
        session.list(
            ordered,
            [
                .init("STORE", least: 8) { .init($0.source.name) },
                .init("PROGRAM", least: 8, usual: 24, rank: 3) { .init($0.source.program, .muted) },
                .init("STATE") { .init($0.state.rawValue, $0.tone) },
                .init("ACCOUNTS") { .init($0.isUsable ? String($0.accountCount) : "") },
                .init("TOKENS") { .init($0.isUsable ? String($0.tokenCount) : "") },
                .init("ACCESS", rank: 1) { .init($0.source.mayWrite ? "read, write" : "read-only", .muted) },
                .init("PLACE", least: 16, usual: 36, rank: 2) { .init(session.short($0.source.place), .muted) },
            ], isWide: wide.isOn)
        for finding in ordered {
            for line in finding.findings { session.output.note("\(finding.source.name): \(line)") }
        }
        let hidden = findings.count - shown.count
        if hidden > 0 {
            session.output.note("hint: \(hidden) other locations checked, nothing found (--all lists them)")
        }
    }
}

extension StoreProbe {
    var state: StoreLine.State {
        switch availability {
        case .usable: .usable
        case .empty: .empty
        case .absent: .absent
        case .protected: .protected
        case .refused: .refused
        }
    }

    fileprivate var isOwn: Bool { source.name == "foyer" }
    fileprivate var needsPerson: Bool { state == .refused || state == .protected }

    fileprivate var tone: Tone {
        switch state {
        case .usable: .text
        case .empty, .absent: .muted
        case .protected: .attention
        case .refused: .danger
        }
    }

    var reason: String? {
        switch availability {
        case .usable, .empty, .absent: nil
        case .protected(let protection): "protected by " + protection
        case .refused(let why, _): why
        }
    }

    var hint: String? {
        if case .refused(_, let hint) = availability { hint?.words } else { nil }
    }

    var findings: [String] { [reason, hint].compactMap(\.self) + notes }

    var json: JSONValue {
        JSONValue(
            ("store", source.name.json), ("program", source.program.json), ("place", source.place.json),
            ("state", state.rawValue.json), ("kind", (spec?.kind.rawValue).json), ("reason", reason.json),
            ("hint", hint.json), ("accounts", JSONValue(integer: accountCount)),
            ("tokens", JSONValue(integer: tokenCount)), ("mayWrite", .bool(source.mayWrite)),
            ("notes", .array(notes.map(\.json))))
    }
}

extension JSONValue {
    /// Adds the name of the store, in a list of several stores.
    func of(store: String?) -> JSONValue {
        guard let object, let store else { return self }
        return .object(JSONObject(object.members + [JSONMember(name: "store", value: store.json)]))
    }
}
