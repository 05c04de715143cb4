import ArgumentParser
import CommandSupport
import FoundationEssentials
import Identity
import LegacyCaches
import SilentFirst
import StrictJSON
import TokenCache

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import accounts from a legacy ADAL cache",
        discussion: """
            Reads the cache, never writes it. Supported: accessTokens.json of ADAL for Python and the old Azure CLI, \
            TokenCache.dat of ADAL.NET (version 3), and caches of ADAL for Objective-C (archives of items, a Mac's \
            whole cache, exported keychain items). Refresh tokens are stored now and redeemed on first use; nothing is \
            sent. Accounts that were signed out stay signed out until you sign in again.
            """)
    @Argument(help: "Legacy cache files", completion: .file())
    var files: [String]
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        guard !files.contains("-") else {
            throw Failure(.usage, "cannot read a legacy cache from standard input", hint: "name the file")
        }
        let client = try session.clientIfAny()
        let cache = try session.cache(client).watched
        let environment = try client.map { choice throws(Failure) in try session.authority(choice).environment }
        var reports: [LegacyReport] = []
        for file in files {
            reports.append(try session.takeOver(file, into: cache, environment: environment))
        }
        let taken = reports.map(\.taken).reduce(0, +)
        session.output.result(
            JSONValue(("files", .array(reports.map { $0.json(session) })), ("taken", JSONValue(integer: taken))),
            or: reports.flatMap { $0.lines(session) })
        let unread = reports.compactMap { report in report.failure.map { (report.file, $0) } }
        guard let (file, why) = unread.first else { return }
        session.output.fail(
            Failure(
                .invalidInput,
                unread.count == 1
                    ? "\(file): \(why)"
                    : "cannot read \(unread.count) of \(files.count) files; first error: \(file): \(why)",
                hint: "supported: accessTokens.json, TokenCache.dat, archives of ADAL for Objective-C"))
    }
}

extension CommandContext {
    fileprivate func takeOver(_ file: String, into cache: TokenCache, environment: String?) throws(Failure)
        -> LegacyReport
    {
        let bytes: [UInt8]
        do throws(Failure) {
            guard
                let found = try TextFile.read(
                    self.environment.expand(file), limit: LegacyCache.maximumBytes, what: "legacy cache")
            else {
                return LegacyReport(file: file, failure: "no such file")
            }
            bytes = found
        } catch { return LegacyReport(file: file, failure: error.message) }
        let legacy = LegacyCache(bytes)
        let intake = try Failure.translating(try cache.takeOver(legacy.entries))
        return LegacyReport(file: file, legacy, intake, environment: environment)
    }
}

/// The result of importing a legacy file, item by item, for text and JSON.
struct LegacyReport {
    struct Item {
        /// Counted from 1; nil for the whole file.
        var number: Int?
        var outcome: Outcome
        var entry: LegacyEntry?
        var notes: [Note] = []
        var problem: String?
    }

    enum Outcome: String {
        case taken, renewed, unchanged, signedIn, signedOut, accessTokenOnly, expiredAccessTokenOnly, skipped, damaged
    }

    enum Note: String {
        case family, guest, otherCloud, severalPeople, noName
    }

    let file: String
    var format: LegacyCache.Format?
    var items: [Item] = []
    /// Why the file cannot be read.
    var failure: String?

    init(file: String, failure: String) { (self.file, self.failure) = (file, failure) }

    /// - Parameter environment: cloud of the current client, to mark the entries that it cannot use.
    init(file: String, _ cache: LegacyCache, _ intake: [LegacyIntake], environment: String?) {
        self.file = file
        format = cache.format
        let now = Date()
        let shared = cache.namesOfSeveralPeople
        for (place, entry) in cache.entries.enumerated() {
            var item = Item(number: place < cache.items.count ? cache.items[place] : nil, outcome: .taken, entry: entry)
            item.outcome =
                switch intake[place] {
                case .taken: .taken
                case .renewed: .renewed
                case .unchanged: .unchanged
                case .signedIn: .signedIn
                case .signedOut: .signedOut
                case .noRefreshToken: entry.isExpired(at: now) ? .expiredAccessTokenOnly : .accessTokenOnly
                }
            if entry.kind == .family || entry.familyID?.isEmpty == false { item.notes.append(.family) }
            if entry.isGuest { item.notes.append(.guest) }
            if let environment, !Cloud.isSame(environment, entry.authority.environment) {
                item.notes.append(.otherCloud)
            }
            if let name = entry.userID?.asciiLowercased {
                if shared.contains(name) { item.notes.append(.severalPeople) }
            } else {
                item.notes.append(.noName)
            }
            items.append(item)
        }
        for problem in cache.problems {
            var words = problem
            if problem.item != nil { words = LegacyProblem(problem.situation) }
            items.append(
                Item(
                    number: problem.item, outcome: problem.isDamage ? .damaged : .skipped, entry: nil,
                    problem: words.words))
        }
        items.sort { ($0.number ?? .max) < ($1.number ?? .max) }
        // A file without any readable item is rejected, whatever its beginning looks like.
        let damage = cache.problems.filter { $0.item == nil || $0.isDamage }
        if cache.format == nil || (cache.entries.isEmpty && damage.contains(where: \.isDamage)) {
            failure = damage.first?.words ?? LegacyProblem(.unknownFormat).description
        }
    }

    var taken: Int { items.count { $0.outcome == .taken || $0.outcome == .renewed } }

    func lines(_ session: CommandContext) -> [String] {
        guard let format else { return ["\(file): not read: \(failure ?? "")"] }
        return ["\(file): \(format.name), \(taken) of \(items.count) imported"]
            + items.map { "  " + $0.line(session) }
    }

    func json(_ session: CommandContext) -> JSONValue {
        JSONValue(
            ("file", file.json), ("format", (format?.rawValue).json), ("taken", JSONValue(integer: taken)),
            ("problem", failure.json),
            ("items", .array(items.map { $0.json(session) })))
    }
}

extension LegacyReport.Item {
    fileprivate func line(_ session: CommandContext) -> String {
        var text = number.map { "item \($0)" } ?? "the file"
        if let entry {
            let what = [
                entry.userID ?? "(no name)", session.clientName(entry.clientID), entry.resource ?? "all resources",
            ]
            text += ": " + what.joined(separator: ", ")
        }
        text += ": " + (problem.map { "\(outcome.words): \($0)" } ?? outcome.words)
        if outcome == .signedOut, let entry {
            let name = entry.userID.map { " --account \($0.shellWord)" } ?? ""
            text += "; to bring the account back: foyer sign-in --client-id \(entry.clientID.shellWord)\(name)"
        }
        guard !notes.isEmpty else { return text }
        return text + " (" + notes.map { $0.words(entry) }.joined(separator: "; ") + ")"
    }

    fileprivate func json(_ session: CommandContext) -> JSONValue {
        JSONValue(
            ("item", number.map { JSONValue(integer: $0) } ?? .null), ("outcome", outcome.rawValue.json),
            ("username", (entry?.userID).json),
            ("homeAccountId", (entry?.homeAccountID).json), ("clientId", (entry?.clientID).json),
            ("authority", entry.map { "\($0.authority)".json } ?? .null), ("resource", (entry?.resource).json),
            ("scopes", entry?.scopes?.json ?? .array([])), ("kind", (entry?.kind.rawValue).json),
            ("familyId", (entry?.familyID).json),
            ("notes", .array(notes.map(\.rawValue.json))), ("problem", problem.json))
    }
}

extension LegacyReport.Outcome {
    fileprivate var words: String {
        switch self {
        case .taken: "imported"
        case .renewed: "imported, replacing an older one"
        case .unchanged: "already imported"
        case .signedIn: "already signed in for this client"
        case .signedOut: "signed out of this client, not imported"
        case .accessTokenOnly: "skipped: no refresh token"
        case .expiredAccessTokenOnly: "skipped: no refresh token, access token expired"
        case .skipped: "skipped"
        case .damaged: "damaged"
        }
    }
}

extension LegacyReport.Note {
    fileprivate func words(_ entry: LegacyEntry?) -> String {
        switch self {
        case .family: "usable by every client of its family"
        case .guest: "guest tenant"
        case .otherCloud: "other cloud: \(entry?.authority.environment ?? "")"
        case .severalPeople: "several accounts have this name"
        case .noName: "no account in the file"
        }
    }
}
