import FoundationEssentials
package import Identity
package import LegacyCaches
package import TokenCache
import Wire

/// A refresh token that may be sent, and why it is not sent now.
package struct RefreshCandidate: Hashable, Sendable {
    /// Why a refresh token is not sent for a while.
    package enum Hold: Hashable, Sendable {
        /// The provider asked to wait, or is down.
        case wait(ThrottleEntry)
        /// The provider asked for the person when this very request was last sent, and answers so again until then.
        case person(ThrottleEntry)
        /// The call that this one waited for did not reach the provider.
        case unreached
    }

    package let credential: CachedCredential
    /// The entry of an ADAL cache that it comes from; nil for one of the unified cache.
    package let legacy: LegacyEntry?
    package let hold: Hold?
    let question: Throttle.Question
}

extension OAuthError {
    /// What the provider said when the request was last sent; nil for an entry that does not tell.
    init?(_ entry: ThrottleEntry) {
        guard let error = entry.error else { return nil }
        self.init(error: error, suberror: entry.suberror, codes: entry.codes, claims: entry.claims)
    }
}

/// The refresh tokens of one call in the order in which they are tried, and what refusals do to that order.
struct RefreshQueue {
    /// What a refusal says that does not end the call.
    enum Refusal {
        /// The token is a family's, and this client is not in it.
        case notInFamily
        /// A person is needed, as far as this token goes.
        case needsPerson
    }

    static let accountDeleted = "user_account_deleted"

    private var candidates: [RefreshCandidate]
    private let clientID: String
    /// What the call ends with when no token is left.
    private(set) var refusal: Failure?
    private var isOfTheToken = false

    init(_ candidates: [RefreshCandidate], clientID: String) {
        (self.candidates, self.clientID) = (candidates, clientID)
    }

    mutating func next() -> RefreshCandidate? { candidates.isEmpty ? nil : candidates.removeFirst() }

    mutating func insert(_ candidate: RefreshCandidate) { candidates.insert(candidate, at: 0) }

    /// Takes note of a refusal.
    ///
    /// - Throws: what ends the call at once, whichever tokens are left.
    mutating func refused(_ candidate: RefreshCandidate, _ error: OAuthError) throws(Failure) -> Refusal {
        // A family's token may stand under this client's own identifier: whoever leaves the family finds it there.
        let isFamily = candidate.credential.clientID != clientID || candidate.credential.familyID?.isEmpty == false
        if isFamily, error.suberror == "client_mismatch" {
            refusal = refusal ?? Failure(notInFamily: error)
            return .notInFamily
        }
        let failure = Failure(error)
        guard failure.code == .interactionRequired, candidate.legacy != nil || error.suberror != Self.accountDeleted
        else { throw failure }
        guard candidate.legacy == nil else {
            refusal = refusal ?? failure
            return .needsPerson
        }
        // What a person has to do says more than that a token is dead.
        if refusal == nil || (isOfTheToken && !error.isOfTheToken) { refusal = failure }
        isOfTheToken = error.isOfTheToken
        // A condition has to be met whichever of the client's tokens is sent; the family's may have met it elsewhere.
        if !error.isOfTheToken { candidates.removeAll { $0.credential.clientID == clientID } }
        return .needsPerson
    }
}

extension RefreshQueue {
    /// What becomes of the queue as far as it is known without asking the provider.
    enum Prospect {
        /// One will be sent.
        case sends
        case held(RefreshCandidate.Hold)
        case refused(Failure, until: Date)
    }

    func prospect() -> Prospect {
        var queue = self
        var until = Date.distantFuture
        while let candidate = queue.next() {
            switch candidate.hold {
            case nil: return .sends
            case .wait, .unreached: return candidate.hold.map { .held($0) } ?? .sends
            case .person(let entry):
                guard let error = OAuthError(entry) else { return .held(.wait(entry)) }
                until = min(until, entry.until)
                do throws(Failure) { _ = try queue.refused(candidate, error) } catch {
                    return .refused(error, until: entry.until)
                }
            }
        }
        return queue.refusal.map { .refused($0, until: until) } ?? .sends
    }
}
