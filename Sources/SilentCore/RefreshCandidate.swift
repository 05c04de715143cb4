import FoundationEssentials
package import Identity
package import LegacyCaches
package import TokenCache

/// A refresh token that may be sent, and why it is not sent now.
package struct RefreshCandidate: Hashable, Sendable {
    package enum RefreshDelay: Hashable, Sendable {
        /// The provider is throttling or down.
        case wait(ThrottleEntry)
        /// The provider required a sign-in for this exact request; the response is reused until the entry expires.
        case person(ThrottleEntry)
        /// The call that this one waited for could not reach the provider.
        case unreached
    }

    package let credential: CachedCredential
    /// Its ADAL cache entry; nil for the unified cache.
    package let legacy: LegacyEntry?
    package let hold: RefreshDelay?
    package let question: Throttle.Question
}

extension OAuthError {
    /// Recreates the error of the last response; nil if the entry has none.
    package init?(_ entry: ThrottleEntry) {
        guard let error = entry.error else { return nil }
        self.init(error: error, suberror: entry.suberror, codes: entry.codes, claims: entry.claims)
    }
}

/// The refresh tokens of a call, in order, and the effect of refusals on that order.
package struct RefreshQueue {
    package enum Refusal {
        /// The token belongs to a family that this client is not in.
        case notInFamily
        case needsPerson
    }

    package static let accountDeleted = "user_account_deleted"

    private var candidates: [RefreshCandidate]
    private let clientID: String
    /// The failure of the call if no token is left.
    package private(set) var refusal: Failure?
    private var isOfTheToken = false

    package init(_ candidates: [RefreshCandidate], clientID: String) {
        (self.candidates, self.clientID) = (candidates, clientID)
    }

    package mutating func next() -> RefreshCandidate? { candidates.isEmpty ? nil : candidates.removeFirst() }

    package mutating func insert(_ candidate: RefreshCandidate) { candidates.insert(candidate, at: 0) }

    /// Processes a refusal.
    ///
    /// - Throws: a failure that ends the call, whatever tokens are left.
    package mutating func refused(_ candidate: RefreshCandidate, _ error: OAuthError) throws(Failure) -> Refusal {
        // A family token may be stored under this client's own ID: a client that leaves the family finds it there.
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
        // A required user action is more informative than an invalid token.
        if refusal == nil || (isOfTheToken && !error.isOfTheToken) { refusal = failure }
        isOfTheToken = error.isOfTheToken
        // A condition applies to all tokens of the client; family tokens may already meet it.
        if !error.isOfTheToken { candidates.removeAll { $0.credential.clientID == clientID } }
        return .needsPerson
    }
}

extension RefreshQueue {
    /// The result of the queue, as far as it is known without a request.
    enum QueueOutlook {
        case sends
        case held(RefreshCandidate.RefreshDelay)
        case refused(Failure, until: Date)
    }

    func prospect() -> QueueOutlook {
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
