package import FoundationEssentials
package import Identity
package import StrictJSON
import TokenCache

/// The last failures that involved a provider, so that a report can list their correlation ids: `failures.json` in the
/// state folder. It contains no names, URLs, tenants or provider messages.
package struct FailureRecord: Sendable {
    package struct Entry: Hashable {
        package var code = Failure.Code.serverError
        /// The provider's error codes; ``origin`` is the service that issued them.
        package var numbers: [Int] = []
        package var origin = ServerCode.Origin.entra
        package var correlationID: UUID?
        package var authority: Authority.Kind
        /// In whole seconds.
        package var date = Date()
    }

    package static let mostEntries = 20
    fileprivate static let mostNumbers = 8
    private let list: StateList<Entry>

    package init(_ environment: ProcessEnvironment) {
        list = StateList(
            path: environment.stateFolder + "/failures.json",
            ListFormat("failures", maximumBytes: 16_384, most: Self.mostEntries, isNewestFirst: true),
            lockWait: .milliseconds(200))
    }

    /// Newest first; empty if the file is missing or invalid.
    package func read() -> [Entry] { list.read() }

    /// Records a provider failure. Failing to record this only affects later reports.
    package func note(_ failure: Failure, _ authority: Authority.Kind, at now: Date) {
        guard Self.isOfProvider(failure) else { return }
        let entry = Entry(
            code: failure.code, numbers: Array(failure.serverCodes.prefix(Self.mostNumbers)),
            origin: failure.serverCodeOrigin, correlationID: failure.correlationID, authority: authority, date: now)
        try? list.change { entries in
            // A script that retries must not displace the other failures.
            if let last = entries.first, last.isSame(as: entry) { entries.removeFirst() }
            entries.insert(entry, at: 0)
        }
    }

    /// Whether the provider refused, was unreachable, or sent an untrusted response. No account signed in, or a
    /// cancelled sign-in, is not a provider failure.
    private static func isOfProvider(_ failure: Failure) -> Bool {
        switch failure.code {
        case .serverError, .unavailable, .untrustedResponse: true
        case .interactionRequired, .declinedScopes: failure.oauthError != nil || !failure.serverCodes.isEmpty
        case .storeError, .notFound, .ambiguous, .usage, .invalidInput, .configuration, .cancelled: false
        }
    }
}

extension FailureRecord.Entry: JSONRecord, StateEntry {
    package init() { self.init(authority: .aad) }

    package mutating func describe(_ member: inout JSONMembers) {
        member("code", &code, .word)
        member.orBlank("numbers", &numbers, .items(.integer, most: FailureRecord.mostNumbers))
        member.orBlank("origin", &origin, .word)
        member("correlationId", &correlationID, JSONForm.text.map(UUID.init) { $0.uuidString.lowercased() })
        member("authority", &authority, .word)
        member("at", &date, .time)
    }

    fileprivate func isSame(as other: Self) -> Bool {
        code == other.code && numbers == other.numbers && origin == other.origin && authority == other.authority
    }
}
