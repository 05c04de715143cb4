package import FoundationEssentials
import Identity

/// What only the one who carries an effect out knows of it: when it began, under which correlation identifier, and how
/// long it took.
package enum FlightEvent: Equatable, Sendable {
    case began(at: Date, correlationID: UUID?)
    case ended(milliseconds: Int)
}

/// What was asked for in this session and what came of it, the latest two hundred.
struct Activity: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case silent, renewal, signIn, remove, signOut

        var words: String {
            switch self {
            case .silent: "token"
            case .renewal: "new token"
            case .signIn: "sign-in"
            case .remove: "removal"
            case .signOut: "sign-out"
            }
        }
    }

    enum Outcome: Equatable, Sendable {
        case waiting
        case done(String)
        case failed(Failure.Code, String)
        /// Nobody waits for it any more; what it was doing is let go.
        case givenUp
    }

    struct Entry: Equatable, Sendable {
        let flight: FlightID
        let kind: Kind
        let clientID: String
        /// Whom it is about, as far as that is known.
        fileprivate(set) var person: String
        fileprivate(set) var startedAt: Date
        fileprivate(set) var correlationID: UUID?
        fileprivate(set) var milliseconds: Int?
        fileprivate(set) var steps: [Step] = []
        fileprivate(set) var outcome = Outcome.waiting

        fileprivate mutating func add(_ step: Step) {
            if steps.count < 200, steps.last != step { steps.append(step) }
        }
    }

    /// The oldest first.
    private(set) var entries: [Entry] = []
    static let limit = 200

    /// Notes what is asked for.
    mutating func follow(_ effects: [Effect], at now: Date) {
        for effect in effects {
            switch effect {
            case .acquireSilently(let request, let clientID, let flight):
                add(flight, request.forceRefresh ? .renewal : .silent, clientID, request.account?.label ?? "", now)
            case .signIn(let wish, let flight):
                add(flight, .signIn, wish.clientID, wish.request.account?.label ?? wish.request.loginHint ?? "", now)
            case .remove(let account, let clientID, _, let flight): add(flight, .remove, clientID, account.label, now)
            case .removeElsewhere(let account, let store, let flight):
                add(flight, .remove, account.clients.first ?? store.program, account.label, now)
            case .signOut(let account, let clientID, _, let flight): add(flight, .signOut, clientID, account.label, now)
            case .cancel(let flight): change(flight) { if $0.outcome == .waiting { $0.outcome = .givenUp } }
            default: break
            }
        }
    }

    /// Notes what is heard, also when the screen that asked is gone.
    mutating func hear(_ message: Message) {
        guard let flight = message.flight else { return }
        change(flight) { entry in
            switch message {
            case .flight(.began(let date, let id), _):
                entry.startedAt = date
                entry.correlationID = id
            case .flight(.ended(let milliseconds), _): entry.milliseconds = milliseconds
            case .step(let step, _), .signIn(.step(let step), _): entry.add(step)
            case .acquired(let token, _):
                entry.person = token.account.label
                entry.outcome = .done(token.source.words)
                if entry.steps.isEmpty { entry.steps = token.trail.steps }
                if entry.correlationID == nil { entry.correlationID = token.correlationID }
            case .failed(let failure, _):
                if entry.outcome != .givenUp { entry.outcome = .failed(failure.code, failure.message) }
                if entry.steps.isEmpty { entry.steps = failure.trail.steps }
                if let id = failure.correlationID { entry.correlationID = id }
            case .removed(let count, _), .removedElsewhere(let count, _, _):
                entry.outcome = .done(count == 1 ? "1 entry went" : "\(count) entries went")
            case .signedOut(let outcome, _): entry.outcome = .done(outcome.isWhole ? "all of it" : "not all of it")
            default: break
            }
        }
    }

    private mutating func add(_ flight: FlightID, _ kind: Kind, _ clientID: String, _ person: String, _ now: Date) {
        entries.append(Entry(flight: flight, kind: kind, clientID: clientID, person: person, startedAt: now))
        if entries.count > Self.limit { entries.removeFirst(entries.count - Self.limit) }
    }

    private mutating func change(_ flight: FlightID, _ body: (inout Entry) -> Void) {
        // What is under way is among the latest.
        guard let index = entries.lastIndex(where: { $0.flight == flight }) else { return }
        body(&entries[index])
    }
}

extension SignOutOutcome {
    /// Whether no part of it failed.
    fileprivate var isWhole: Bool {
        [revoked, accessTokensRevoked, removed, sessionEnded].allSatisfy {
            if case .failed = $0 { false } else { true }
        }
    }
}
