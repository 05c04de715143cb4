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

    private typealias KeysResult = Result<[SigningKey], WireError>

    /// A fetch that is under way, and who waits for it.
    private struct Fetch {
        let number: Int
        let task: Task<Void, Never>
        var callers: [Int: CheckedContinuation<KeysResult, Never>] = [:]
    }

    private let transport: Transport
    private let now: @Sendable () -> Duration
    private var known: [WebAddress: CachedKeys] = [:]
    /// Documents that came and nobody has taken yet.
    private var fetched: [WebAddress: JSONObject] = [:]
    private var fetches: [WebAddress: Fetch] = [:]
    private var lastNumber = 0

    /// - Parameter now: time since the machine started.
    package init(transport: Transport, now: @escaping @Sendable () -> Duration = { BootClock.now }) {
        self.transport = transport
        self.now = now
    }

    /// The keys that a header's key identifier may mean: those of that name, else those without any; all when the
    /// header names none.
    ///
    /// - Throws: ``WireError`` when they could not be fetched.
    func keys(named id: String?, at address: WebAddress) async throws(WireError) -> [SigningKey] {
        let time = now()
        guard let entry = known[address], time - entry.fetched < Self.lifetime else {
            return Self.match(try await fetch(address, isForUnknownKey: false), id)
        }
        let matches = Self.match(entry.keys, id)
        if !matches.isEmpty { return matches }
        // Whoever finds that the fetch for another unknown key is still under way waits for its answer.
        if fetches[address] == nil, let asked = entry.asked, time - asked < Self.pauseBetweenQuestions { return [] }
        return Self.match(try await fetch(address, isForUnknownKey: true), id)
    }

    // MARK: One fetch for all

    /// The keys as the fetch that is under way brings them, or a new one. A caller that is cancelled is let go at once;
    /// with the last one the fetch ends.
    private func fetch(_ address: WebAddress, isForUnknownKey: Bool) async throws(WireError) -> [SigningKey] {
        lastNumber += 1
        let caller = lastNumber
        let number = fetches[address]?.number ?? begin(address, isForUnknownKey: isForUnknownKey)
        let answer: KeysResult = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: .failure(.cancelled))
                } else {
                    fetches[address]?.callers[caller] = continuation
                }
            }
        } onCancel: {
            Task { await self.leave(address, number, caller) }
        }
        return try answer.get()
    }

    private func begin(_ address: WebAddress, isForUnknownKey: Bool) -> Int {
        lastNumber += 1
        let number = lastNumber
        let task = Task {
            let answer: KeysResult
            do throws(WireError) { answer = .success(try await ask(address)) } catch { answer = .failure(error) }
            end(address, number, answer, isForUnknownKey: isForUnknownKey)
        }
        fetches[address] = Fetch(number: number, task: task)
        return number
    }

    private func end(_ address: WebAddress, _ number: Int, _ answer: KeysResult, isForUnknownKey: Bool) {
        // Only an answer counts as asked: after a failure the next caller asks again.
        if case .success(let keys) = answer {
            known[address] = CachedKeys(keys: keys, fetched: now(), asked: isForUnknownKey ? now() : nil)
        }
        guard let fetch = fetches[address], fetch.number == number else { return }
        fetches[address] = nil
        for caller in fetch.callers.values { caller.resume(returning: answer) }
    }

    private func leave(_ address: WebAddress, _ number: Int, _ caller: Int) {
        guard let fetch = fetches[address], fetch.number == number, let waiting = fetch.callers[caller] else { return }
        waiting.resume(returning: .failure(.cancelled))
        fetches[address]?.callers[caller] = nil
        guard fetch.callers.count == 1 else { return }
        fetches[address] = nil
        fetch.task.cancel()
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
