import Identity
import StrictJSON

/// The providers' keys, fetched when needed and kept for a day; an unknown key makes one more fetch, at most one each five minutes (T17, atk-D7).
package actor KeySet {
    private struct Entry {
        var keys: [SigningKey]
        var fetched: Duration
        /// The last time that an unknown key led to a fetch.
        var asked: Duration?
    }

    private static let mostKeys = 100
    private static let lifetime = Duration.seconds(86_400)
    private static let pauseBetweenQuestions = Duration.seconds(300)

    private let transport: Transport
    private let now: @Sendable () -> Duration
    private var known: [WebAddress: Entry] = [:]

    /// - Parameter now: time since the machine started.
    package init(transport: Transport, now: @escaping @Sendable () -> Duration = { BootClock.now }) {
        self.transport = transport
        self.now = now
    }

    /// The keys that a header's key identifier may mean: those of that name, else those without any; all when the header names none.
    ///
    /// - Throws: ``WireError`` when they could not be fetched.
    func keys(named id: String?, at address: WebAddress) async throws(WireError) -> [SigningKey] {
        let time = now()
        guard let entry = known[address], time - entry.fetched < Self.lifetime else {
            let keys = try await fetch(address)
            known[address] = Entry(keys: keys, fetched: time, asked: nil)
            return Self.match(keys, id)
        }
        let matches = Self.match(entry.keys, id)
        if !matches.isEmpty { return matches }
        if let asked = entry.asked, time - asked < Self.pauseBetweenQuestions { return [] }
        known[address]?.asked = time
        do {
            let keys = try await fetch(address)
            known[address] = Entry(keys: keys, fetched: time, asked: time)
            return Self.match(keys, id)
        } catch {
            known[address]?.asked = entry.asked
            throw error
        }
    }

    private static func match(_ keys: [SigningKey], _ id: String?) -> [SigningKey] {
        guard let id else { return keys }
        let named = keys.filter { $0.id == id }
        return named.isEmpty ? keys.filter { $0.id == nil } : named
    }

    private func fetch(_ address: WebAddress) async throws(WireError) -> [SigningKey] {
        let reply = try await transport.send(HTTPRequest(address))
        try reply.requireService()
        guard reply.status == 200, let list = try reply.object()["keys"]?.array else {
            throw .notJSON(host: reply.host, status: reply.status, why: "no list of keys")
        }
        return list.prefix(Self.mostKeys).compactMap { $0.object.flatMap { SigningKey($0) } }
    }
}
