package import FoundationEssentials
package import Identity
package import StrictJSON
import TokenCache

/// The last failures of acquisitions in which a provider had a part, so that a report can name their correlation ids:
/// `failures.json` in the state folder. Nobody's name is in it, no address, no tenant, and no word of a provider.
package struct FailureRecord: Sendable {
    package struct Entry: Hashable {
        package var code = Failure.Code.serverError
        /// The provider's numbers, and whose they are.
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

    /// The latest first. A file that is missing or not to be understood remembers nothing.
    package func read() -> [Entry] { list.read() }

    /// Notes a failure if it belongs here. What cannot be noted is missed by who reads it, and holds up nobody.
    package func note(_ failure: Failure, _ authority: Authority.Kind, at now: Date) {
        guard Self.isOfProvider(failure) else { return }
        let entry = Entry(
            code: failure.code, numbers: Array(failure.serverCodes.prefix(Self.mostNumbers)),
            origin: failure.serverCodeOrigin, correlationID: failure.correlationID, authority: authority, date: now)
        try? list.change { entries in
            // A script that tries again and again leaves room for the others.
            if let last = entries.first, last.isSame(as: entry) { entries.removeFirst() }
            entries.insert(entry, at: 0)
        }
    }

    /// Whether a provider refused, was not reached, or gave an answer that was not believed. That nobody is signed in
    /// here, or that somebody gave up, is none of its doing.
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
