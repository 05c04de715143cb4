import FoundationEssentials
import Identity

/// A row of the activity: a request of this session, of a program, or to the agent.
struct ActivityEntry: Equatable, Sendable {
    /// Identifies a row, so the selection stays on it while others come.
    enum ID: Hashable, Sendable {
        case session(RequestID)
        /// By its oldest request, because newer equal ones are added.
        case program(String, target: String, oldest: ProgramsReport.Use)
        case agent(AgentReport.UseID)
    }

    enum Source: Equatable, Sendable {
        case session(ActivityRecord)
        /// Consecutive equal requests of a program, newest first; never empty.
        case program(ProgramsReport.Program, ArraySlice<ProgramsReport.Use>)
        /// Equal requests of a process to the agent.
        case agent(AgentReport.Use)
    }

    let id: ID
    let source: Source
    /// The time of the newest request.
    let at: Date
    let who: String
    /// A host, cluster, registry or resource, or the host that a request comes from; empty for anything else.
    let target: String
    /// The number of equal requests.
    let count: Int
    let account: String
    /// In a word or two.
    let answer: String
    let sign: Sign
    let tone: Tone
    let took: String
    /// Whether a token was requested and not given.
    let isFailure: Bool

    init(_ record: ActivityRecord) {
        (id, source, at) = (.session(record.id), .session(record), record.startedAt)
        (who, target, count, account) = ("foyer", "", 1, record.accountWords)
        ((sign, tone), took) = (record.outcome.sign, record.duration)
        if case .failed(let failure) = record.outcome {
            answer = failure.code.answer ?? "failed"
            isFailure = record.kind.isForToken
        } else {
            answer = record.outcome.words
            isFailure = false
        }
    }

    fileprivate init?(_ program: ProgramsReport.Program, _ uses: ArraySlice<ProgramsReport.Use>) {
        guard let last = uses.first, let oldest = uses.last else { return nil }
        id = .program(program.name, target: program.target, oldest: oldest)
        (source, at, who, target) = (.program(program, uses), last.at, program.name, program.target)
        count = uses.count
        (account, answer, (sign, tone)) = (last.accountWords, last.answer, last.sign)
        (took, isFailure) = (Clock.duration(milliseconds: last.milliseconds), last.refusal != nil)
    }

    fileprivate init?(_ use: AgentReport.Use) {
        guard let last = use.last else { return nil }
        (id, source, at, who, target) = (.agent(use.id), .agent(use), last, use.name, use.host)
        count = Int(clamping: use.requests)
        (account, isFailure, took) = (use.account, use.client.isEmpty, "")
        (answer, sign, tone) = isFailure ? ("refused", .cross, .danger) : ("from agent", .check, .ok)
    }
}

extension ActivityEntry {
    /// The rows of the programs' record and the agent's, in no order.
    static func recorded(_ programs: [ProgramsReport.Program], _ agentUses: [AgentReport.Use]) -> [ActivityEntry] {
        let ofPrograms = programs.flatMap { program in
            program.uses.runs { $0.isRepetition(of: $1) }.compactMap { ActivityEntry(program, $0) }
        }
        // A helper's request through the agent is in both records, one from another host is not.
        let uses = programs.flatMap(\.uses)
        let ofAgent = agentUses.filter { use in !use.host.isEmpty || !uses.contains { $0.isSameRequest(as: use) } }
        return ofPrograms + ofAgent.compactMap(ActivityEntry.init)
    }
}

extension ProgramsReport.Use {
    /// Seconds between the record's time of one request and the agent's.
    private static let tolerance: TimeInterval = 2

    fileprivate func isRepetition(of other: ProgramsReport.Use) -> Bool {
        var other = other
        (other.at, other.milliseconds) = (at, milliseconds)
        return self == other
    }

    fileprivate func isSameRequest(as use: AgentReport.Use) -> Bool {
        guard let last = use.last, abs(last.timeIntervalSince(at)) <= Self.tolerance else { return false }
        return use.client.isEmpty ? refusal != nil : account == use.account
    }

    /// The username, or why there is none if that is known.
    var accountWords: String { fitting.map { account.isEmpty ? "\($0) fit, none named" : account } ?? account }

    var answer: String {
        guard refusal == nil else { return fitting == nil ? code?.answer ?? "refused" : "refused" }
        return "from " + sourceWords
    }

    var sourceWords: String { AcquiredToken.Source(rawValue: source)?.words ?? source }

    var sign: (Sign, Tone) {
        guard refusal != nil else { return (.check, .ok) }
        return code == .interactionRequired && fitting == nil ? (.warning, .attention) : (.cross, .danger)
    }
}

extension Failure.Code {
    /// The result of a request in a word or two; nil for rare ones.
    fileprivate var answer: String? {
        switch self {
        case .interactionRequired: "needs sign-in"
        case .unavailable: "unreachable"
        case .cancelled: "cancelled"
        default: nil
        }
    }
}

extension ActivityRecord.Kind {
    fileprivate var isForToken: Bool { [.silent, .renewal, .signIn].contains(self) }
}

extension ActivityRecord {
    /// The account, or a note if a sign-in ended without one.
    package var accountWords: String {
        account.isEmpty && kind == .signIn && outcome != .waiting ? "no account" : account
    }

    package var duration: String {
        milliseconds == nil && outcome == .waiting ? "waiting" : Clock.duration(milliseconds: milliseconds)
    }
}

extension ActivityRecord.Outcome {
    var words: String {
        switch self {
        case .waiting: "running"
        case .done(let what): what
        case .failed(let failure): failure.message
        case .givenUp: "cancelled"
        }
    }

    package var sign: (Sign, Tone) {
        switch self {
        case .waiting: (.half, .info)
        case .done: (.check, .ok)
        case .failed(let failure) where failure.code == .interactionRequired: (.warning, .attention)
        case .failed: (.cross, .danger)
        case .givenUp: (.separator, .muted)
        }
    }
}
