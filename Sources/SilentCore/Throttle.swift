import Explain
package import FoundationEssentials
package import Identity
import Proofs
package import TokenCache

/// Requests that the silent flow does not repeat for a while, in any process that uses the store.
///
/// MSAL's rules, with fixes: a retry delay is limited and can also be a date, and without one it grows and is spread at
/// random (``ThrottleWait``); a valid token, or one within its extended
/// lifetime, is still used; the state survives the process. As in MSAL, `forceRefresh` does not bypass it.
package struct Throttle {
    /// Seconds before an identical request is repeated after a required sign-in; MSAL's value.
    private static let repeatedRefusal = 120

    private let store: ThrottleStore
    private let clientID: String
    private let clock: @Sendable () -> Date
    private var now: Date { clock() }
    private let jitter: @Sendable () -> Double
    private let record: StepRecorder

    /// - Parameter jitter: from zero up to one, at random.
    package init(
        _ cache: TokenCache, clientID: String, now: @escaping @Sendable () -> Date,
        jitter: @escaping @Sendable () -> Double = Throttle.chance, _ record: StepRecorder
    ) {
        store = ThrottleStore(cache)
        self.clientID = clientID
        self.jitter = jitter
        clock = now
        self.record = record
    }

    package static let chance: @Sendable () -> Double = { .random(in: 0..<1) }

    /// The parts of a request that its response depends on.
    package struct Question: Hashable, Sendable {
        var clientID: String
        var authority: Authority
        var account: AccountID
        var token: Secret
        var scopes: ScopeSet
        package var claims: String?
        var keyID: String?
        var agentSession: String?
        var resource: String?
    }

    // MARK: Checks

    /// The entries in effect, for all clients and providers.
    package static func entries(_ cache: TokenCache, at now: Date) -> [ThrottleEntry] {
        ThrottleStore(cache).read(at: now)
    }

    package func failure(_ held: ThrottleEntry, host: String) -> Failure {
        let now = now
        record.note(.throttle, .failed, "throttled by \(host) for \(held.timeLeft(at: now))")
        return Self.failure(held, host: host, at: now)
    }

    package static func failure(_ held: ThrottleEntry, host: String, at now: Date) -> Failure {
        let time = held.timeLeft(at: now)
        if held.kind == .clock {
            let apart = held.ahead.map { "\(TimeSpan.words(TimeInterval(abs($0)))) \($0 < 0 ? "behind" : "ahead of")" }
            return Failure(
                .untrustedResponse,
                "this machine's clock is \(apart ?? "apart from") \(host)'s; no requests until it is corrected",
                hint: "set this machine's clock and try again; the sign-in is kept")
        }
        return Failure(
            .unavailable, "\(host) is throttling or down: next request in \(time)",
            hint: "try again in \(time)",
            oauthError: held.error, suberror: held.suberror, serverCodes: held.codes)
    }

    // MARK: Updates

    /// Records that a refresh failed because the provider is throttling or down.
    package func note(_ error: WireError, _ question: Question) {
        noteUnreached(error, question.authority)
        guard let delay = Self.delay(error) else { return }
        keep(question.waitKey, account(question.account), delay)
    }

    package func note(_ error: WireError, metadataOf authority: Authority) {
        noteUnreached(error, authority)
        guard let delay = Self.delay(error) else { return }
        let key = authority.metadataKey
        keep(key, key, delay)
    }

    /// Does not block later requests: only callers that waited for this call use its result.
    private func noteUnreached(_ error: WireError, _ authority: Authority) {
        guard error.isNotReached, error.mayPass else { return }
        let now = clock()
        let key = authority.unreachedKey
        put(
            ThrottleEntry(
                .unreached, key: key, account: key, since: now,
                until: now.addingTimeInterval(ThrottleEntry.longest(.unreached))))
    }

    /// Records a refusal that requires a sign-in or is temporary. Others are only recorded with a delay from the
    /// provider, because users retry right after fixing them. A grant with fewer scopes is not recorded either (MSAL
    /// repeats it for two minutes): its tokens are saved, and with rotated refresh tokens the next request differs
    /// anyway.
    package func note(_ error: OAuthError, _ question: Question) {
        if error.error == "temporarily_unavailable" {
            keep(question.waitKey, account(question.account), Delay(retryAfter: error.retryAfter))
        } else if error.needsPerson {
            let now = clock()
            write { restraints in
                let key = question.personKey
                restraints.removeAll { $0.key == key }
                // Save nothing if the provider echoes the token.
                let said = [error.error, error.suberror ?? "", error.claims ?? ""]
                guard !said.contains(where: { $0.contains(question.token.reveal()) }) else { return }
                var entry = ThrottleEntry(
                    .person, key: key, account: account(question.account), since: now,
                    until: now.addingTimeInterval(TimeInterval(Self.repeatedRefusal)))
                (entry.error, entry.suberror, entry.codes) = (error.error, error.suberror, error.codes)
                entry.claims = error.claims
                restraints.append(entry)
            }
        } else if error.retryAfter != nil {
            keep(question.waitKey, account(question.account), Delay(retryAfter: error.retryAfter))
        }
    }

    /// Records a response that this machine's clock made unusable: another one would use up another refresh token.
    /// `issued` is the time of the response by the provider's clock.
    package func note(clockAt authority: Authority, issued: Date) {
        let now = clock()
        let key = authority.clockKey
        var entry = ThrottleEntry(
            .clock, key: key, account: key, since: now,
            until: now.addingTimeInterval(ThrottleEntry.longest(.clock)))
        entry.ahead = Int(exactly: now.timeIntervalSince(issued).rounded())
        entry.started = ThrottleEntry.started(by: now)
        put(entry)
    }

    /// Clears required sign-ins after the user signed in. Delays requested by the provider remain.
    package func lift(_ account: AccountID) {
        let name = self.account(account)
        guard store.read(at: now).contains(where: { $0.account == name && $0.kind == .person }) else { return }
        write { $0.removeAll { $0.account == name && $0.kind == .person } }
    }

    /// The next failure of this request is a first one again, and its refresh token was not used up in vain.
    package func noteAnswer(_ question: Question) {
        let keys = [Self.failuresKey(question.waitKey), question.lostKey]
        guard store.read(at: now).contains(where: { keys.contains($0.key) }) else { return }
        write { $0.removeAll { keys.contains($0.key) } }
    }

    /// Records that the refresh token was sent and no answer has come.
    package func noteLost(_ question: Question) {
        let now = clock()
        put(
            ThrottleEntry(
                .lost, key: question.lostKey, account: account(question.account), since: now,
                until: now.addingTimeInterval(ThrottleEntry.longest(.lost))))
    }

    /// The refusal with what the store knows of lost answers.
    package func explained(_ failure: Failure, _ questions: [Question]) -> Failure {
        let now = now
        return store.read(at: now).explained(failure, questions, at: now)
    }

    private struct Delay {
        /// Seconds; nil if the provider named no time.
        var retryAfter: Int?
    }

    /// Nil for errors that need no delay: a request that never arrives costs the provider nothing.
    private static func delay(_ error: WireError) -> Delay? {
        switch error {
        case .throttled(_, let seconds): Delay(retryAfter: seconds)
        case .serverFailure: Delay()
        case .unreachable, .timedOut, .proxy, .proxySetting, .trustFile, .tooLarge, .redirected, .notJSON, .tls,
            .badEndpoint, .untrusted,
            .unsupported,
            .refused,
            .cancelled:
            nil
        }
    }

    private func keep(_ key: String, _ account: String, _ delay: Delay) {
        if let seconds = delay.retryAfter, seconds <= 0 { return }
        let now = clock()
        let failuresKey = Self.failuresKey(key)
        write { restraints in
            let earlier = restraints.first { $0.key == failuresKey }?.failures ?? 0
            let held = restraints.first { $0.key == key }
            // Requests that were pending together are one failure.
            let failures = held == nil ? earlier + 1 : max(earlier, 1)
            let length = ThrottleWait.seconds(delay.retryAfter, failures: failures, jitter: jitter())
            let until = max(now.addingTimeInterval(length), held?.until ?? now)
            restraints.removeAll { $0.key == key || $0.key == failuresKey }
            restraints.append(ThrottleEntry(.wait, key: key, account: account, since: now, until: until))
            var count = ThrottleEntry(
                .failures, key: failuresKey, account: account, since: now,
                until: until.addingTimeInterval(length + Self.failureMemory))
            count.failures = min(failures, ThrottleEntry.mostFailures)
            restraints.append(count)
        }
    }

    /// Seconds, besides another wait, after which a failure is a first one again.
    private static let failureMemory: TimeInterval = 600

    private func put(_ entry: ThrottleEntry) {
        write { restraints in
            restraints.removeAll { $0.key == entry.key }
            restraints.append(entry)
        }
    }

    /// Failing to save this only costs a request later.
    private func write(_ body: (inout [ThrottleEntry]) -> Void) {
        do { try store.change(at: now, body) } catch { record.note(.throttle, .failed, error.message) }
    }

    // MARK: Names

    private static func failuresKey(_ key: String) -> String { Fingerprint.of(["failures", key]) }

    private func account(_ account: AccountID) -> String {
        Fingerprint.of(["account", clientID, account.canonicalHomeAccountID, account.home])
    }
}

extension Throttle.Question {
    /// Depends on the refresh token alone, however it is used.
    fileprivate var lostKey: String { Fingerprint.of(["lost", clientID, token.reveal()]) }

    fileprivate var waitKey: String { Fingerprint.of(["wait", clientID, authority.address.text, token.reveal()]) }

    /// Like MSAL's full thumbprint, plus the agent session: everything the response depends on.
    fileprivate var personKey: String {
        Fingerprint.of([
            "person", clientID, authority.address.text, token.reveal(), scopes.target.asciiLowercased, claims ?? "",
            keyID ?? "", agentSession ?? "", resource ?? "",
        ])
    }
}

extension Authority {
    fileprivate var unreachedKey: String { Fingerprint.of(["unreached", address.text]) }
    fileprivate var clockKey: String { Fingerprint.of(["clock", address.text]) }
    fileprivate var metadataKey: String { Fingerprint.of(["metadata", address.text]) }
}

extension ThrottleEntry {
    /// Seconds that the computed boot time may drift by clock adjustments.
    fileprivate static let trim: TimeInterval = 30

    fileprivate static func started(by now: Date) -> Date {
        now.addingTimeInterval(-TimeInterval(BootClock.now.components.seconds))
    }

    /// Whether the clock was set, or the machine restarted, since then.
    fileprivate func isOfOtherClock(at now: Date) -> Bool {
        guard let started else { return true }
        return abs(Self.started(by: now).timeIntervalSince(started)) > Self.trim
    }

    func timeLeft(at now: Date) -> String { TimeSpan.words(max(1, until.timeIntervalSince(now).rounded(.up))) }
}

extension [ThrottleEntry] {
    /// The entry that blocks a refresh; nil if it may be sent.
    package func held(_ question: Throttle.Question) -> ThrottleEntry? {
        // Keys are fingerprints, the expensive part if there are no entries.
        guard !isEmpty else { return nil }
        let keys = [question.waitKey, question.personKey]
        return first { keys.contains($0.key) }
    }

    /// The refusal of refresh tokens of which a lost answer can have used one up: otherwise it reads like a theft.
    package func explained(_ failure: Failure, _ questions: [Throttle.Question], at now: Date) -> Failure {
        let lost = filter { $0.kind == .lost }
        guard !lost.isEmpty else { return failure }
        let keys = questions.map(\.lostKey)
        guard let entry = lost.first(where: { keys.contains($0.key) }) else { return failure }
        var failure = failure
        let time = TimeSpan.words(now.timeIntervalSince(entry.since))
        failure.message += "; the answer to a refresh \(time) ago was lost, which can have used up the refresh token"
        return failure
    }

    /// The entry for a clock difference with a provider; nil once the clock was set.
    package func held(clockAt authority: Authority, at now: Date) -> ThrottleEntry? {
        guard !isEmpty else { return nil }
        let key = authority.clockKey
        return first { $0.key == key && $0.kind == .clock && !$0.isOfOtherClock(at: now) }
    }

    package func held(metadataOf authority: Authority) -> ThrottleEntry? {
        guard !isEmpty else { return nil }
        let key = authority.metadataKey
        return first { $0.key == key }
    }

    /// Whether a call could not reach the provider since then, for callers that waited for it.
    func wasUnreached(_ authority: Authority, since: Date) -> Bool {
        let key = authority.unreachedKey
        // Stored times are whole seconds.
        let second = Date(timeIntervalSince1970: since.timeIntervalSince1970.rounded(.down))
        return contains { $0.key == key && $0.since >= second }
    }
}
