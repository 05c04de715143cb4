import AppModel
import ArgumentParser
import Identity
import StrictJSON
import TokenCache

/// `--all-stores`, for the listings.
struct AllStoresOption: ParsableArguments {
    @Flag(
        name: .customLong("all-stores"), help: "From the stores of all programs, each with its name")
    var isOn = false
}

struct StoresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stores",
        abstract: "List the token stores of all programs on this machine",
        discussion: """
            Other programs' stores are only read. To let foyer remove accounts from one, write in the settings: [stores.NAME] and write = true.
            Any cache in MSAL's format can be named there: [stores.mine] and path = "/PATH/OF/THE/CACHE.json".
            """)
    @Flag(help: "Include empty places")
    var all = false
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let findings = try session.findings(try session.clientIfAny())
        if shared.json {
            session.output.result(JSONValue(("stores", .array(findings.map(\.json)))))
            return
        }
        let shown = findings.filter { all || $0.availability != .absent || $0.source.name == "foyer" }
        session.output.lines(
            Table(["STORE", "PROGRAM", "STATE", "ACCOUNTS", "TOKENS", "ACCESS", "PLACE"]).lines(
                shown.map { finding in
                    [
                        finding.source.name, finding.source.program, finding.word,
                        finding.isUsable ? String(finding.accountCount) : "",
                        finding.isUsable ? String(finding.tokenCount) : "",
                        finding.source.mayWrite ? "read, write" : "read-only",
                        session.short(finding.source.place),
                    ]
                }))
        for finding in shown { for line in finding.findings { session.output.note("\(finding.source.name): \(line)") } }
        let hidden = findings.count - shown.count
        if hidden > 0 {
            session.output.note("hint: \(hidden) other places checked, nothing found (--all lists them)")
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

    /// One word, or two.
    var word: String { state.word }

    /// Why it is not usable; nil when nothing has to be said.
    var reason: String? {
        switch availability {
        case .usable, .empty, .absent: nil
        case .protected(let protection): "kept by " + protection
        case .refused(let why, _): why
        }
    }

    var hint: String? {
        if case .refused(_, let hint) = availability { hint?.words } else { nil }
    }

    var accountCount: Int { snapshot.accounts(clientID: nil).count }
    var tokenCount: Int { snapshot.credentials().count }

    /// The reason, what to do, and what else is to be known.
    var findings: [String] { [reason, hint].compactMap(\.self) + notes }

    var json: JSONValue {
        JSONValue(
            ("store", source.name.json), ("program", source.program.json), ("place", source.place.json),
            ("state", word.json),
            ("kind", (spec?.kind.rawValue).json), ("reason", reason.json), ("hint", hint.json),
            ("accounts", JSONValue(integer: accountCount)), ("tokens", JSONValue(integer: tokenCount)),
            ("mayWrite", .bool(source.mayWrite)), ("notes", .array(notes.map(\.json))))
    }
}

extension JSONValue {
    /// The same object with the name of the store that it is from.
    func of(store: String) -> JSONValue {
        guard let object else { return self }
        return .object(JSONObject(object.members + [JSONMember(name: "store", value: store.json)]))
    }
}
