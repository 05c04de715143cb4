package import FoundationEssentials
package import Identity
import StrictJSON
import TokenCache

/// The last failures of acquisitions in which a provider had a part, so that a report can name their correlation ids:
/// `failures.json` in the state folder. Nobody's name is in it, no address, no tenant, and no word of a provider.
package struct FailureRecord: Sendable {
    package struct Entry: Hashable, Sendable {
        package let code: Failure.Code
        /// The provider's numbers, and whose they are.
        package let numbers: [Int]
        package let origin: ServerCode.Origin
        package let correlationID: UUID?
        package let authority: Authority.Kind
        /// Seconds since the epoch.
        package let at: Int64

        package var date: Date { Date(timeIntervalSince1970: Double(at)) }
    }

    package static let mostEntries = 20
    fileprivate static let mostNumbers = 8
    private static let maximumBytes = 16_384
    /// The end of the year 9999.
    fileprivate static let lastSecond: Int64 = 253_402_300_799
    private let file: StateFile

    package init(_ environment: ProcessEnvironment) {
        file = StateFile(
            path: environment.stateFolder + "/failures.json", maximumBytes: Self.maximumBytes,
            lockWait: .milliseconds(200))
    }

    /// The latest first. A file that is missing or not to be understood remembers nothing.
    package func read() -> [Entry] { ((try? file.read()) ?? nil).map(Self.entries) ?? [] }

    /// Notes a failure if it belongs here. What cannot be noted is missed by who reads it, and holds up nobody.
    package func note(_ failure: Failure, _ authority: Authority.Kind, at now: Date) {
        guard Self.isOfProvider(failure), let second = Int64(exactly: now.timeIntervalSince1970.rounded(.down)),
            (0...Self.lastSecond).contains(second)
        else { return }
        let entry = Entry(
            code: failure.code, numbers: Array(failure.serverCodes.prefix(Self.mostNumbers)),
            origin: failure.serverCodeOrigin, correlationID: failure.correlationID, authority: authority, at: second)
        try? file.change { bytes in
            var entries = bytes.map(Self.entries) ?? []
            // A script that tries again and again leaves room for the others.
            if let last = entries.first, last.isSame(as: entry) { entries.removeFirst() }
            let kept = [entry] + entries.prefix(Self.mostEntries - 1)
            let value = JSONValue(("version", 1), ("failures", .array(kept.map(\.json))))
            return Array((value.serialized() + "\n").utf8)
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

    private static func entries(_ bytes: [UInt8]) -> [Entry] {
        let limits = JSONLimits(maximumBytes: maximumBytes, maximumDepth: 6)
        guard let value = try? JSONValue(parsing: bytes, limits: limits), value["version"]?.integer == 1 else {
            return []
        }
        return (value["failures"]?.array ?? []).prefix(mostEntries).compactMap(Entry.init)
    }
}

extension FailureRecord.Entry {
    fileprivate func isSame(as other: Self) -> Bool {
        code == other.code && numbers == other.numbers && origin == other.origin && authority == other.authority
    }

    /// - Returns: nil for what this program has not written.
    fileprivate init?(_ value: JSONValue) {
        guard let code = value["code"]?.string.flatMap(Failure.Code.init),
            let authority = value["authority"]?.string.flatMap(Authority.Kind.init), let at = value["at"]?.integer,
            (0...FailureRecord.lastSecond).contains(at)
        else { return nil }
        self.init(
            code: code,
            numbers: (value["numbers"]?.array ?? []).prefix(FailureRecord.mostNumbers).compactMap {
                $0.integer.flatMap { Int(exactly: $0) }
            },
            origin: value["origin"]?.string.flatMap(ServerCode.Origin.init) ?? .entra,
            correlationID: value["correlationId"]?.string.flatMap { UUID(uuidString: $0) }, authority: authority, at: at
        )
    }

    fileprivate var json: JSONValue {
        JSONValue(
            ("code", code.rawValue.json), ("numbers", .array(numbers.map { JSONValue(integer: $0) })),
            ("origin", origin.rawValue.json), ("correlationId", (correlationID?.uuidString.lowercased()).json),
            ("authority", authority.rawValue.json), ("at", JSONValue(integer: at)))
    }
}
