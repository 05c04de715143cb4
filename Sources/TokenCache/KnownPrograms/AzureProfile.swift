import Glibc
import Identity
import StrictJSON

/// `azureProfile.json`: the subscriptions of those whom the Azure CLI has signed in. It is tied to the token cache by
/// the username alone.
///
/// What is not removed keeps its bytes, the byte order mark before it too: the Azure CLI writes one, and reads the file
/// with it.
package struct AzureProfile: Sendable {
    private static let limits = JSONLimits(maximumBytes: 8 << 20, maximumDepth: 32)
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let path: String
    private let bytes: [UInt8]
    /// The text between the brackets of `subscriptions`; empty when there is none.
    private let list: Range<Int>
    /// The values of the list.
    private let pieces: [Range<Int>]
    /// The user's name of each piece, in lower-case ASCII; nil when it has none.
    private let users: [String?]

    /// - Returns: nil when the file is not there or empty.
    /// - Throws: what ``FileStore`` finds; `notJSON`; `foreign` when the value is no object, or its subscriptions no
    ///   list.
    package init?(path: String) throws(StoreError) {
        guard let content = try FileStore(path: path).read(), !content.bytes.isEmpty else { return nil }
        try self.init(content.bytes, path: path)
    }

    init(_ bytes: [UInt8], path: String) throws(StoreError) {
        let start = bytes.starts(with: Self.mark) ? Self.mark.count : 0
        let value: JSONValue
        do { value = try JSONValue(parsing: Array(bytes[start...]), limits: Self.limits) } catch {
            throw StoreError(.notJSON(offset: error.offset, what: error.problem.rawValue), path: path)
        }
        guard let object = value.object else { throw StoreError(.foreign("its JSON is not an object"), path: path) }
        self.path = path
        self.bytes = bytes
        guard let subscriptions = object["subscriptions"], subscriptions != .null else {
            (list, pieces, users) = (start..<start, [], [])
            return
        }
        guard let array = subscriptions.array else {
            throw StoreError(.foreign("its subscriptions are no list"), path: path)
        }
        guard let found = JSONValue.list(named: "subscriptions", in: bytes, from: start, limits: Self.limits) else {
            throw StoreError(.foreign("its subscriptions cannot be told apart"), path: path)
        }
        (list, pieces) = found
        users = array.map { $0["user"]?["name"]?.string?.asciiLowercased }
    }

    /// How many subscriptions are a user's; usernames are compared without regard to case, as the Azure CLI does.
    package func count(of user: String) -> Int { users.count { $0 == user.asciiLowercased } }

    /// The text without a user's subscriptions; nil when there are none.
    func removing(_ user: String) -> [UInt8]? {
        let wanted = user.asciiLowercased
        guard !wanted.isEmpty, users.contains(wanted), let first = pieces.first, let last = pieces.last else {
            return nil
        }
        let kept = zip(pieces, users).filter { $0.1 != wanted }.map(\.0)
        // What stands between two pieces, as the file has it.
        let between = pieces.count > 1 ? bytes[first.upperBound..<pieces[1].lowerBound] : []
        var text = Array(bytes[..<list.lowerBound])
        if !kept.isEmpty {
            text += bytes[list.lowerBound..<first.lowerBound] + kept.map { bytes[$0] }.joined(separator: between)
            text += bytes[last.upperBound..<list.upperBound]
        }
        return text + bytes[list.upperBound...]
    }

    /// Removes a user's subscriptions from the file; the caller holds its lock.
    ///
    /// - Returns: what is in the file now; nil when there was nothing to remove.
    /// - Throws: ``StoreError``; then nothing was changed.
    func remove(_ user: String) throws(StoreError) -> [UInt8]? {
        guard let text = removing(user) else { return nil }
        // What would not be read as a profile again must never reach the disk.
        _ = try AzureProfile(text, path: path)
        try FileStore(path: path).write(text, at: try ResolvedPath(path))
        return text
    }

    /// Puts the file back as it was read, if it is still what ``remove(_:)`` made of it.
    func putBack(insteadOf text: [UInt8]) throws(StoreError) {
        let store = FileStore(path: path)
        guard try store.read()?.bytes == text else {
            throw StoreError(.foreign("another program has changed it meanwhile"), path: path)
        }
        try store.write(bytes, at: try ResolvedPath(path))
    }

    /// How many service principals the Azure CLI keeps beside it; nothing of them is read further.
    static func principalCount(_ path: String) throws(StoreError) -> Int {
        guard let content = try FileStore(path: path).read() else { return 0 }
        let start = content.bytes.starts(with: mark) ? mark.count : 0
        do { return try JSONValue(parsing: Array(content.bytes[start...]), limits: limits).array?.count ?? 0 } catch {
            return 0
        }
    }
}
