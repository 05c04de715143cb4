package import FoundationEssentials
package import Identity

package struct ActivityRecord: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case silent = "token", renewal = "new token", signIn = "sign-in", remove = "removal", signOut = "sign-out"
    }

    package enum Outcome: Equatable, Sendable {
        case waiting
        case done(String)
        /// Except if a token was received in spite of it.
        case failed(Failure)
        /// Cancelled: a late result is discarded.
        case givenUp
    }

    package let id: RequestID
    package let kind: Kind
    package let clientID: String
    /// The request's account, as far as known.
    package fileprivate(set) var account: String
    let accountID: AccountID?
    package fileprivate(set) var startedAt: Date
    package fileprivate(set) var correlationID: UUID?
    package fileprivate(set) var milliseconds: Int?
    package fileprivate(set) var steps: [Step] = []
    package fileprivate(set) var outcome = Outcome.waiting

    fileprivate mutating func add(_ step: Step) {
        if steps.count < 200, steps.last != step { steps.append(step) }
    }
}

/// Requests of this session and their results, the latest two hundred; and those of programs, as last read.
package struct ActivityLog: Equatable, Sendable {
    /// The time and code of a response that required a sign-in.
    package struct Rejection: Equatable, Sendable {
        package let at: Date
        package let error: String
    }

    private struct Party: Hashable {
        let account: AccountID
        let clientID: String
    }

    private var rejections: [Party: Rejection] = [:]

    /// The provider's latest response, if it required a sign-in.
    package func rejection(of account: AccountID, clientID: String) -> Rejection? {
        rejections.isEmpty ? nil : rejections[Party(account: account, clientID: clientID)]
    }

    /// Oldest first.
    package private(set) var records: [ActivityRecord] = []
    static let limit = 200

    /// Recorded requests of programs, as last read.
    private(set) var programs: [ProgramsReport.Program] = [] { didSet { noteRecorded() } }
    /// Requests to the agent, as it last reported them.
    private(set) var agentUses: [AgentReport.Use] = [] { didSet { noteRecorded() } }
    /// The rows of both, in no order. Stored, so that drawing the number of unread failures costs little.
    private var recorded: [ActivityEntry] = []
    /// The time of the newest failure that the user has seen.
    package private(set) var readUntil = Date.distantPast

    mutating func note(_ effects: [Effect], at now: Date) {
        for effect in effects {
            switch effect {
            case .acquireSilently(let request, let use, let id):
                add(id, request.forceRefresh ? .renewal : .silent, use.clientID, request.account, now)
            case .signIn(let wanted, let id):
                add(id, .signIn, wanted.clientID, wanted.request.account, now, named: wanted.request.loginHint ?? "")
            case .remove(let account, let use, _, let id): add(id, .remove, use.clientID, account, now)
            case .removeElsewhere(let account, let store, let id):
                add(id, .remove, account.clients.first ?? store.program, account, now)
            case .signOut(let account, let use, _, let id): add(id, .signOut, use.clientID, account, now)
            case .cancel(let id): change(id) { if $0.outcome == .waiting { $0.outcome = .givenUp } }
            default: break
            }
        }
    }

    /// Records results, even if the requesting feature has been closed.
    mutating func note(_ reply: Reply, of id: RequestID) {
        if case .programs(let report) = reply { note(programs: report.programs) }
        if case .agent(let report) = reply { note(agent: report.uses) }
        noteRejection(reply, of: id)
        change(id) { record in
            switch reply {
            case .began(let date, let correlationID):
                record.startedAt = date
                record.correlationID = correlationID
            case .ended(let milliseconds): record.milliseconds = milliseconds
            case .step(let step), .signIn(.step(let step)): record.add(step)
            case .acquired(let token):
                record.account = token.account.label
                record.outcome = .done("from " + token.source.words)
                if record.steps.isEmpty { record.steps = token.trail.steps }
                if record.correlationID == nil { record.correlationID = token.correlationID }
            case .failed(var failure):
                if record.account.isEmpty, let account = failure.result?.account { record.account = account.label }
                failure.result = nil
                if record.outcome != .givenUp { record.outcome = .failed(failure) }
                if record.steps.isEmpty { record.steps = failure.trail.steps }
                if let id = failure.correlationID { record.correlationID = id }
            case .removed(let count), .removedElsewhere(let count, _):
                record.outcome = .done(counted(count, "entry", "entries") + " removed")
            case .signedOut(let outcome): record.outcome = .done(outcome.isWhole ? "signed out" : "partly signed out")
            default: break
            }
        }
    }

    /// Drops the requests of this interface, which name accounts.
    mutating func forgetRequests() { (records, rejections) = ([], [:]) }

    mutating func note(programs: [ProgramsReport.Program]) { self.programs = programs }
    mutating func note(agent uses: [AgentReport.Use]) { agentUses = uses }
    private mutating func noteRecorded() { recorded = ActivityEntry.recorded(programs, agentUses) }

    /// All requests, newest first.
    var entries: [ActivityEntry] {
        (records.reversed().map(ActivityEntry.init) + recorded).sorted { $0.at > $1.at }
    }

    private var unreadTimes: [Date] {
        (recorded + records.map(ActivityEntry.init)).filter { $0.isFailure && $0.at > readUntil }.map(\.at)
    }

    /// The number of failures since the user last looked at the activity.
    package var unread: Int { unreadTimes.count }

    /// - Parameter date: see ``readUntil``; an earlier one than known changes nothing.
    mutating func noteRead(until date: Date) { readUntil = max(readUntil, date) }

    /// Counts every failure as seen.
    ///
    /// - Returns: whether any was not.
    mutating func read() -> Bool {
        guard let newest = unreadTimes.max() else { return false }
        readUntil = newest
        return true
    }

    private mutating func noteRejection(_ reply: Reply, of id: RequestID) {
        guard let record = records.last(where: { $0.id == id }) else { return }
        switch reply {
        case .acquired(let token):
            rejections[Party(account: token.account.id, clientID: record.clientID)] = nil
        case .failed(let failure) where failure.code == .interactionRequired:
            guard let account = record.accountID, let error = failure.oauthError else { return }
            rejections[Party(account: account, clientID: record.clientID)] = Rejection(
                at: record.startedAt, error: error)
        default: break
        }
    }

    private mutating func add(
        _ id: RequestID, _ kind: ActivityRecord.Kind, _ clientID: String, _ account: Account?, _ now: Date,
        named name: String = ""
    ) {
        records.append(
            ActivityRecord(
                id: id, kind: kind, clientID: clientID, account: account?.label ?? name, accountID: account?.id,
                startedAt: now))
        if records.count > Self.limit { records.removeFirst(records.count - Self.limit) }
    }

    private mutating func change(_ id: RequestID, _ body: (inout ActivityRecord) -> Void) {
        // Running requests are among the latest.
        guard let index = records.lastIndex(where: { $0.id == id }) else { return }
        body(&records[index])
    }
}
