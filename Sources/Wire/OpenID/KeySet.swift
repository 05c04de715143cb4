package import Identity
package import StrictJSON

/// Providers' keys, fetched when needed and cached for a day. An unknown key causes another fetch, at most every five
/// minutes. Concurrent callers share a fetch.
package actor KeySet {
    private struct CachedKeys {
        var keys: [SigningKey]
        var fetched: Duration
        /// Last fetch for an unknown key.
        var asked: Duration?
        /// Fetched by an earlier process.
        var isKept = false
    }

    private static let mostKeys = 100
    private static let lifetime = Duration.seconds(86_400)
    private static let pauseBetweenQuestions = Duration.seconds(300)

    private let transport: Transport
    private let now: @Sendable () -> Duration
    private var known: [WebAddress: CachedKeys] = [:]
    /// Documents for ``takeFetched(from:)``.
    private var fetched: [WebAddress: JSONObject] = [:]
    private let fetches = SharedRequests<WebAddress, [SigningKey]>()

    package init(transport: Transport, now: @escaping @Sendable () -> Duration = { BootClock.now }) {
        (self.transport, self.now) = (transport, now)
    }

    /// Keys for a header's key ID: those of that name, else those without a name; all if the header has none.
    func keys(named id: String?, at address: WebAddress) async throws(WireError) -> [SigningKey] {
        guard let entry = known[address], now() - entry.fetched < Self.lifetime else {
            return Self.match(try await fetch(address, isForUnknownKey: false), id)
        }
        let matches = Self.match(entry.keys, id)
        if !matches.isEmpty { return matches }
        // A fetch for another unknown key may be running; it is shared.
        return Self.match(try await fetch(address, isForUnknownKey: true), id)
    }

    /// Like ``keys(named:at:)``, fetched again; nil if they were fetched, or asked for, in the last five minutes.
    func newerKeys(named id: String?, at address: WebAddress) async throws(WireError) -> [SigningKey]? {
        guard let entry = known[address], now() - entry.fetched >= Self.pauseBetweenQuestions,
            entry.asked.map({ now() - $0 >= Self.pauseBetweenQuestions }) ?? true
        else { return nil }
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
            // After a failure the next caller may try again immediately.
            known[address] = CachedKeys(keys: keys, fetched: now(), asked: isForUnknownKey ? now() : nil)
            return .success(keys)
        } catch { return .failure(error) }
    }

    // MARK: Across processes

    package func knows(_ address: WebAddress) -> Bool {
        known[address].map { now() - $0.fetched < Self.lifetime } ?? false
    }

    /// Takes over keys from an earlier process, unless their age in seconds is negative, or a day or more.
    ///
    /// - Parameter document: from ``takeFetched(from:)``. A key that is missing there is still fetched.
    package func remember(_ document: JSONObject, at address: WebAddress, age: Int) {
        guard !knows(address), age >= 0, Duration.seconds(age) < Self.lifetime, let keys = Self.keys(in: document)
        else { return }
        known[address] = CachedKeys(keys: keys, fetched: now() - .seconds(age), isKept: true)
    }

    /// The document fetched since the last call, reduced to the members of keys; else nil.
    package func takeFetched(from address: WebAddress) -> JSONObject? { fetched.removeValue(forKey: address) }

    package func forgetKept(_ address: WebAddress) { if known[address]?.isKept == true { known[address] = nil } }

    private static let members: Set<String> = [
        "kty", "use", "key_ops", "kid", "alg", "n", "e", "crv", "x", "y",
    ]

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
