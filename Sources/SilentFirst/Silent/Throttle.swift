import Explain
import FoundationEssentials
import Identity
import TokenCache
import Wire

/// What the silent flow does not ask again for a while, in this process or in any other that uses the store.
///
/// MSAL's rules with their defects mended: a time to wait is never longer than the cap and also understood as a date; a
/// still valid token, and one whose extended lifetime runs, are given meanwhile; a process that ends forgets nothing.
/// `forceRefresh` does not bypass it, as in MSAL.
struct Throttle {
    /// Seconds to wait when a provider is down or asks to wait and does not say how long; MSAL's figure.
    private static let usualWait = 60
    /// Seconds in which the same question is not asked again after the answer that a person is needed; MSAL's figure.
    private static let repeatedRefusal = 120

    private let store: ThrottleStore
    private let clientID: String
    private let clock: @Sendable () -> Date
    private var now: Date { clock() }
    private let record: StepRecorder

    /// - Parameters:
    ///   - path: the store's; what is noted lies beside it.
    ///   - clientID: what one client is refused another may ask for.
    init(path: String, clientID: String, now: @escaping @Sendable () -> Date, _ record: StepRecorder) {
        store = ThrottleStore(path: path)
        self.clientID = clientID
        clock = now
        self.record = record
    }

    /// What is asked, as far as the answer depends on it.
    struct Question: Hashable, Sendable {
        var clientID: String
        var authority: Authority
        var account: AccountID
        var token: Secret
        var scopes: ScopeSet
        var claims: String?
        var keyID: String?
        var agentSession: String?
    }

    // MARK: Asking

    /// What holds now, of every client and provider.
    static func entries(path: String, at now: Date) -> [ThrottleEntry] { ThrottleStore(path: path).read(at: now) }

    /// The failure that stands for a request which is not sent.
    func failure(_ held: ThrottleEntry, host: String) -> Failure {
        let now = now
        record.note(.throttle, .failed, "\(host) is not asked for another \(held.timeLeft(at: now))")
        return Self.failure(held, host: host, at: now)
    }

    static func failure(_ held: ThrottleEntry, host: String, at now: Date) -> Failure {
        let time = held.timeLeft(at: now)
        if held.kind == .clock {
            let apart = held.ahead.map { "\(TimeSpan.words(TimeInterval(abs($0)))) \($0 < 0 ? "behind" : "ahead of")" }
            return Failure(
                .untrustedResponse,
                "this machine's clock is \(apart ?? "apart from") \(host)'s; nothing is sent there until it is set",
                hint: "set this machine's clock, and try again; the sign-in is kept")
        }
        return Failure(
            .unavailable, "\(host) asked to wait or was down, and is not asked again for \(time)",
            hint: "try again in \(time)",
            oauthError: held.error, suberror: held.suberror, serverCodes: held.codes)
    }

    // MARK: Noting

    /// Notes that a refresh was not answered because the provider asked to wait, or is down.
    func note(_ error: WireError, _ question: Question) {
        noteUnreached(error, question.authority)
        guard let seconds = Self.wait(error) else { return }
        keep(question.waitKey, account(question.account), seconds)
    }

    /// The same of a provider's metadata.
    func note(_ error: WireError, metadataOf authority: Authority) {
        noteUnreached(error, authority)
        guard let seconds = Self.wait(error) else { return }
        let key = authority.metadataKey
        keep(key, key, seconds)
    }

    /// This keeps nobody from asking: only who waited for this very call takes its end for an answer.
    private func noteUnreached(_ error: WireError, _ authority: Authority) {
        guard error.isNotReached, error.mayPass else { return }
        let now = clock()
        let key = authority.unreachedKey
        put(
            ThrottleEntry(
                .unreached, key: key, account: key, since: now,
                until: now.addingTimeInterval(ThrottleEntry.longest(.unreached))))
    }

    /// Notes a refusal: that a person is needed, or that the provider cannot now. Others are not noted unless the
    /// provider asks to wait, since whoever mends one tries at once. Nor is a grant with fewer scopes than were asked,
    /// which MSAL answers from memory for two minutes: its tokens are kept and handed out with the failure, and where
    /// refresh tokens rotate, the next question is another one.
    func note(_ error: OAuthError, _ question: Question) {
        if error.error == "temporarily_unavailable" {
            keep(question.waitKey, account(question.account), error.retryAfter ?? Self.usualWait)
        } else if error.needsPerson {
            let now = clock()
            write { restraints in
                let key = question.personKey
                restraints.removeAll { $0.key == key }
                // A provider may say back what it was sent; then nothing of it is kept.
                let said = [error.error, error.suberror ?? "", error.claims ?? ""]
                guard !said.contains(where: { $0.contains(question.token.reveal()) }) else { return }
                var entry = ThrottleEntry(
                    .person, key: key, account: account(question.account), since: now,
                    until: now.addingTimeInterval(TimeInterval(Self.repeatedRefusal)))
                (entry.error, entry.suberror, entry.codes) = (error.error, error.suberror, error.codes)
                entry.claims = error.claims
                restraints.append(entry)
            }
        } else if let seconds = error.retryAfter {
            keep(question.waitKey, account(question.account), seconds)
        }
    }

    /// Notes that the answer of a provider could not be used because of this machine's clock: nor could the next, for
    /// which another refresh token would be spent.
    ///
    /// - Parameter issued: when the answer was made, by the provider's clock.
    func note(clockAt authority: Authority, issued: Date) {
        let now = clock()
        let key = authority.clockKey
        var entry = ThrottleEntry(
            .clock, key: key, account: key, since: now,
            until: now.addingTimeInterval(ThrottleEntry.longest(.clock)))
        entry.ahead = Int(exactly: now.timeIntervalSince(issued).rounded())
        entry.started = ThrottleEntry.started(by: now)
        put(entry)
    }

    /// A person signed in: what was refused for want of one may be asked again. What the provider asked to wait for
    /// stays.
    func lift(_ account: AccountID) {
        let name = self.account(account)
        guard store.read(at: now).contains(where: { $0.account == name && $0.kind == .person }) else { return }
        write { $0.removeAll { $0.account == name && $0.kind == .person } }
    }

    /// Nil for what is no reason to wait: not being reached at all costs the provider nothing.
    private static func wait(_ error: WireError) -> Int? {
        switch error {
        case .throttled(_, let seconds): seconds ?? usualWait
        case .serverFailure: usualWait
        case .unreachable, .timedOut, .proxy, .proxySetting, .trustFile, .tooLarge, .redirected, .notJSON, .tls,
            .badEndpoint, .untrusted,
            .unsupported,
            .refused,
            .cancelled:
            nil
        }
    }

    private func keep(_ key: String, _ account: String, _ seconds: Int) {
        guard seconds > 0 else { return }
        let now = clock()
        let length = min(TimeInterval(seconds), ThrottleEntry.longest(.wait))
        put(
            ThrottleEntry(.wait, key: key, account: account, since: now, until: now.addingTimeInterval(length)))
    }

    /// Notes it in the place of the one before.
    private func put(_ entry: ThrottleEntry) {
        write { restraints in
            restraints.removeAll { $0.key == entry.key }
            restraints.append(entry)
        }
    }

    /// What cannot be noted costs a request later, and nothing now.
    private func write(_ body: (inout [ThrottleEntry]) -> Void) {
        do { try store.change(at: now, body) } catch { record.note(.throttle, .failed, error.message) }
    }

    // MARK: Names

    private func account(_ account: AccountID) -> String {
        Fingerprint.of(["account", clientID, account.homeAccountID, account.home])
    }
}

extension Throttle.Question {
    fileprivate var waitKey: String { Fingerprint.of(["wait", clientID, authority.address.text, token.reveal()]) }

    /// MSAL's full thumbprint, and the agent's session: everything that the answer depends on.
    fileprivate var personKey: String {
        Fingerprint.of([
            "person", clientID, authority.address.text, token.reveal(), scopes.target.asciiLowercased, claims ?? "",
            keyID ?? "", agentSession ?? "",
        ])
    }
}

extension Authority {
    fileprivate var unreachedKey: String { Fingerprint.of(["unreached", address.text]) }
    fileprivate var clockKey: String { Fingerprint.of(["clock", address.text]) }
    fileprivate var metadataKey: String { Fingerprint.of(["metadata", address.text]) }
}

extension ThrottleEntry {
    /// How far the moment at which the machine started may shift by a clock that is only trimmed, seconds.
    fileprivate static let trim: TimeInterval = 30

    fileprivate static func started(by now: Date) -> Date {
        now.addingTimeInterval(-TimeInterval(BootClock.now.components.seconds))
    }

    /// Whether the clock was set since, or the machine started anew.
    fileprivate func isOfOtherClock(at now: Date) -> Bool {
        guard let started else { return true }
        return abs(Self.started(by: now).timeIntervalSince(started)) > Self.trim
    }

    /// The time until it ends, at least a second.
    func timeLeft(at now: Date) -> String { TimeSpan.words(max(1, until.timeIntervalSince(now).rounded(.up))) }
}

extension [ThrottleEntry] {
    /// What is noted of a refresh; nil when it may be sent.
    func held(_ question: Throttle.Question) -> ThrottleEntry? {
        // Keys are fingerprints, which cost more than all else where nothing is noted.
        guard !isEmpty else { return nil }
        let keys = [question.waitKey, question.personKey]
        return first { keys.contains($0.key) }
    }

    /// What is noted of this machine's clock and a provider's; nil once it was set.
    func held(clockAt authority: Authority, at now: Date) -> ThrottleEntry? {
        guard !isEmpty else { return nil }
        let key = authority.clockKey
        return first { $0.key == key && $0.kind == .clock && !$0.isOfOtherClock(at: now) }
    }

    /// What is noted of reading a provider's metadata.
    func held(metadataOf authority: Authority) -> ThrottleEntry? {
        guard !isEmpty else { return nil }
        let key = authority.metadataKey
        return first { $0.key == key }
    }

    /// Whether a call did not reach the provider since then: for those who waited for it meanwhile.
    func wasUnreached(_ authority: Authority, since: Date) -> Bool {
        let key = authority.unreachedKey
        // Times are kept in whole seconds.
        let second = Date(timeIntervalSince1970: since.timeIntervalSince1970.rounded(.down))
        return contains { $0.key == key && $0.since >= second }
    }
}
