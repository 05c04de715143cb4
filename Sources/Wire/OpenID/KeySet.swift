package import Identity
package import StrictJSON

/// The providers' keys, fetched when needed and kept for a day. An unknown key makes one more fetch, at most one each
/// five minutes.
///
/// One fetch of an address is under way at a time, and everybody who needs its keys meanwhile waits for that one.
package actor KeySet {
    private struct CachedKeys {
        var keys: [SigningKey]
        var fetched: Duration
        /// The last time that an unknown key led to a fetch.
        var asked: Duration?
        /// Whether an earlier process fetched them.
        var isKept = false
    }

    private static let mostKeys = 100
    private static let lifetime = Duration.seconds(86_400)
    private static let pauseBetweenQuestions = Duration.seconds(300)

    private let transport: Transport
    private let now: @Sendable () -> Duration
    private var known: [WebAddress: CachedKeys] = [:]
    /// Documents that came and nobody has taken yet.
    private var fetched: [WebAddress: JSONObject] = [:]
    private let fetches = SharedRequests<WebAddress, [SigningKey]>()

    /// - Parameter now: time since the machine started.
    package init(transport: Transport, now: @escaping @Sendable () -> Duration = { BootClock.now }) {
        (self.transport, self.now) = (transport, now)
    }

    /// The keys that a header's key identifier may mean: those of that name, else those without any; all when the
    /// header names none.
    ///
    /// - Throws: ``WireError`` when they could not be fetched.
    func keys(named id: String?, at address: WebAddress) async throws(WireError) -> [SigningKey] {
        guard let entry = known[address], now() - entry.fetched < Self.lifetime else {
            return Self.match(try await fetch(address, isForUnknownKey: false), id)
        }
        let matches = Self.match(entry.keys, id)
        if !matches.isEmpty { return matches }
        // Whoever finds that the fetch for another unknown key is still under way waits for its answer.
        return Self.match(try await fetch(address, isForUnknownKey: true), id)
    }

    private func fetch(_ address: WebAddress, isForUnknownKey: Bool) async throws(WireError) -> [SigningKey] {
        try await fetches.value(for: address) { await self.answer(from: address, isForUnknownKey: isForUnknownKey) }
    }

    private func answer(from address: WebAddress, isForUnknownKey: Bool) async -> Result<[SigningKey], WireError> {
        if isForUnknownKey, let entry = known[address], let asked = entry.asked,
            now() - asked < Self.pauseBetweenQuestions
        {
            return .success(entry.keys)
        }
        do throws(WireError) {
            let keys = try await ask(address)
            // Only an answer counts as asked: after a failure the next caller asks again.
            known[address] = CachedKeys(keys: keys, fetched: now(), asked: isForUnknownKey ? now() : nil)
            return .success(keys)
        } catch { return .failure(error) }
    }

    // MARK: Across processes

    /// Whether keys of an address are in memory.
    package func knows(_ address: WebAddress) -> Bool {
        known[address].map { now() - $0.fetched < Self.lifetime } ?? false
    }

    /// Takes keys that an earlier process fetched; one that is not among them is fetched as ever.
    ///
    /// - Parameters:
    ///   - document: as ``takeFetched(from:)`` gave it.
    ///   - age: seconds since it was fetched; of an age of a day or more, or from the future, it is not taken.
    package func remember(_ document: JSONObject, at address: WebAddress, age: Int) {
        guard !knows(address), age >= 0, Duration.seconds(age) < Self.lifetime, let keys = Self.keys(in: document)
        else { return }
        known[address] = CachedKeys(keys: keys, fetched: now() - .seconds(age), isKept: true)
    }

    /// The document that was fetched since this was last asked, with what keys need and nothing else; nil when none
    /// was.
    package func takeFetched(from address: WebAddress) -> JSONObject? { fetched.removeValue(forKey: address) }

    /// Forgets keys that an earlier process fetched.
    package func forgetKept(_ address: WebAddress) { if known[address]?.isKept == true { known[address] = nil } }

    private static let members: Set<String> = ["kty", "use", "kid", "alg", "n", "e", "crv", "x", "y"]

    private static func trimmed(_ list: ArraySlice<JSONValue>) -> JSONObject {
        let keys = list.compactMap(\.object).map { key in
            JSONValue.object(JSONObject(key.members.filter { members.contains($0.name) }))
        }
        return JSONObject([JSONMember(name: "keys", value: .array(keys))])
    }

    private static func keys(in document: JSONObject) -> [SigningKey]? {
        document["keys"]?.array.map { $0.prefix(mostKeys).compactMap { $0.object.flatMap { SigningKey($0) } } }
    }

    private static func match(_ keys: [SigningKey], _ id: String?) -> [SigningKey] {
        guard let id else { return keys }
        let named = keys.filter { $0.id == id }
        return named.isEmpty ? keys.filter { $0.id == nil } : named
    }

    private func ask(_ address: WebAddress) async throws(WireError) -> [SigningKey] {
        let reply = try await transport.send(HTTPRequest(address))
        try reply.requireService()
        guard reply.status == 200, let list = try reply.object()["keys"]?.array else {
            throw .notJSON(host: reply.host, status: reply.status, why: "no list of keys")
        }
        let document = Self.trimmed(list.prefix(Self.mostKeys))
        fetched[address] = document
        return Self.keys(in: document) ?? []
    }
}
