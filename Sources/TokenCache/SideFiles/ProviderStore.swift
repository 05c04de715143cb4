package import FoundationEssentials
package import StrictJSON

/// The small file beside the store, `<store>.providers`, that keeps what providers say of themselves, so that the next
/// process need not ask again.
///
/// It holds no credential, and losing it costs a request. What it gives is as old as it says and no more believed than
/// what has just come: whoever reads a document checks it again. But it names the endpoints that tokens are sent to,
/// which may lie anywhere, so it is protected as the tokens are: beside an `encrypted:` store it is sealed under the
/// store's key, and for a keyring nothing is kept.
package struct ProviderStore: Sendable {
    /// A larger file is none of ours.
    static let maximumBytes = 524_288
    /// A provider that says more is asked each time.
    static let maximumDocument = 65_536
    /// More are not kept; the oldest go.
    static let maximumEntries = 50
    /// Seconds that a document is kept: a day, as long as MSAL keeps it.
    static let lifetime: TimeInterval = 86_400

    /// The store's path.
    private let path: String
    private let backend: StoreBackend
    private let lockWait: Duration

    /// - Parameters:
    ///   - cache: the store whose tokens go to the providers.
    ///   - lockWait: how long another writer is waited for; short, since nothing is lost.
    package init(_ cache: TokenCache, lockWait: Duration = .seconds(1)) {
        path = cache.path
        backend = cache.backend
        self.lockWait = lockWait
    }

    /// Beside a plain file.
    ///
    /// - Parameter path: the store's, absolute.
    package init(path: String, lockWait: Duration = .seconds(1)) {
        self.init(TokenCache(path: path), lockWait: lockWait)
    }

    /// A document that was kept within the last day, with its age in seconds. A file that is missing, of somebody else,
    /// or not to be understood has none; nor do entries from the future (the clock went back).
    ///
    /// - Parameter key: names the question, as `Fingerprint` does.
    package func document(_ key: String, at now: Date) -> (document: JSONObject, age: Int)? {
        guard let entry = read(at: now).first(where: { $0.key == key }) else { return nil }
        return (entry.document, Int(exactly: max(0, entry.age(at: now).rounded(.down))) ?? 0)
    }

    /// Keeps a document in place of the one that was there.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func keep(_ document: JSONObject, as key: String, at now: Date) throws(StoreError) {
        let entry = StoredDocument(key: key, readAt: now, document: document)
        guard JSONValue.object(document).serialized().utf8.count <= Self.maximumDocument else { return }
        try change(at: now) { entries in
            entries.removeAll { $0.key == key }
            entries.append(entry)
        }
    }

    /// Forgets a document: what it says did not work.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func forget(_ key: String, at now: Date) throws(StoreError) {
        guard read(at: now).contains(where: { $0.key == key }) else { return }
        try change(at: now) { $0.removeAll { $0.key == key } }
    }

    fileprivate struct StoredDocument {
        var key: String
        var readAt: Date
        var document: JSONObject

        func age(at now: Date) -> TimeInterval { now.timeIntervalSince(readAt) }
    }

    private func read(at now: Date) -> [StoredDocument] {
        guard let file = try? file(), let content = try? FileStore(path: file).read(),
            content.bytes.count <= Self.maximumBytes,
            let bytes = try? backend.openBeside(content.bytes),
            let value = try? JSONValue(
                parsing: bytes, limits: JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 8)),
            value["version"]?.integer == 1
        else { return [] }
        return (value["providers"]?.array ?? []).prefix(Self.maximumEntries).compactMap(StoredDocument.init)
            // Times are kept in whole seconds, so one of just now may seem to be a part of a second ahead.
            .filter { (-1..<Self.lifetime).contains($0.age(at: now)) }
    }

    private func change(at now: Date, _ body: (inout [StoredDocument]) -> Void) throws(StoreError) {
        guard backend.keepsBeside else { return }
        let file = try file()
        let place = try ResolvedPath(file)
        try place.makeFolder()
        try StoreLock.holding(place, wait: lockWait) { () throws(StoreError) in
            var entries = read(at: now)
            body(&entries)
            entries = Array(entries.suffix(Self.maximumEntries))
            var bytes = Self.text(entries)
            while bytes.count > Self.maximumBytes, !entries.isEmpty {
                entries.removeFirst()
                bytes = Self.text(entries)
            }
            guard let bytes = try backend.sealBeside(bytes) else { return }
            try FileStore(path: file).write(bytes, at: place)
        }
    }

    private static func text(_ entries: [StoredDocument]) -> [UInt8] {
        let value = JSONValue.object(
            JSONObject([
                JSONMember(name: "version", value: 1),
                JSONMember(name: "providers", value: .array(entries.compactMap(\.json))),
            ]))
        return Array(value.serialized().utf8)
    }

    /// Beside the file itself, links followed, so that all who use the store find one.
    private func file() throws(StoreError) -> String { try ResolvedPath(path).file + ".providers" }
}

extension ProviderStore.StoredDocument {
    fileprivate init?(_ value: JSONValue) {
        guard let key = value["key"]?.string, key.utf8.count <= 64, let readAt = value["read_at"]?.integer,
            (0...253_402_300_799).contains(readAt), let document = value["document"]?.object
        else { return nil }
        self.init(key: key, readAt: Date(timeIntervalSince1970: TimeInterval(readAt)), document: document)
    }

    fileprivate var json: JSONValue? {
        guard let seconds = Int64(exactly: readAt.timeIntervalSince1970.rounded(.down)) else { return nil }
        return .object(
            JSONObject([
                JSONMember(name: "key", value: .string(key)),
                JSONMember(name: "read_at", value: .number(JSONNumber(text: String(seconds)))),
                JSONMember(name: "document", value: .object(document)),
            ]))
    }
}
