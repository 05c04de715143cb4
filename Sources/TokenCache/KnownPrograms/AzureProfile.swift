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
    /// The pieces between the commas of the list, with the white space around them.
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
        let found = Commas.list(named: "subscriptions", in: bytes, from: start)
        guard let found, found.pieces.count == array.count else {
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
        let kept = zip(pieces, users).filter { $0.1 != wanted }.map { trimmed($0.0) }
        let head = bytes[first.lowerBound..<trimmed(first).lowerBound]
        // What stands between two pieces, as the file has it: a comma, and the white space of the second.
        let between = pieces.count > 1 ? Array(bytes[pieces[1].lowerBound..<trimmed(pieces[1]).lowerBound]) : []
        let tail = bytes[trimmed(last).upperBound..<last.upperBound]
        var text = Array(bytes[..<list.lowerBound])
        if !kept.isEmpty {
            text += head
            for (index, piece) in kept.enumerated() {
                if index > 0 { text += [UInt8(ascii: ",")] + between }
                text += bytes[piece]
            }
            text += tail
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

    private func trimmed(_ piece: Range<Int>) -> Range<Int> {
        var (start, end) = (piece.lowerBound, piece.upperBound)
        while start < end, Commas.isSpace(bytes[start]) { start += 1 }
        while end > start, Commas.isSpace(bytes[end - 1]) { end -= 1 }
        return start..<end
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

/// Finds the pieces of a list in a text that has been read as JSON already.
private enum Commas {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// The list that is the value of a member of the outermost object.
    static func list(named name: String, in bytes: [UInt8], from start: Int) -> (
        list: Range<Int>, pieces: [Range<Int>]
    )? {
        var depth = 0
        var place = start
        var isWanted = false
        var open: Int?
        var pieces: [Range<Int>] = []
        var pieceStart = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                let end = stringEnd(bytes, place)
                // Of the outermost object's texts only names are followed by a colon.
                if depth == 1, open == nil {
                    var next = end
                    while next < bytes.count, isSpace(bytes[next]) { next += 1 }
                    if next < bytes.count, bytes[next] == UInt8(ascii: ":") {
                        let written = try? JSONValue(parsing: Array(bytes[place..<end]))
                        isWanted = written?.string == name
                    }
                }
                place = end
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if depth == 1, isWanted, bytes[place] == UInt8(ascii: "["), open == nil {
                    open = place + 1
                    pieceStart = place + 1
                }
                depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 1, let open {
                    let hasText = bytes[pieceStart..<place].contains { !isSpace($0) }
                    if hasText { pieces.append(pieceStart..<place) }
                    return (open..<place, pieces)
                }
            case UInt8(ascii: ",") where depth == 2 && open != nil:
                pieces.append(pieceStart..<place)
                pieceStart = place + 1
            default: break
            }
            place += 1
        }
        return nil
    }

    /// The place after the closing quote.
    private static func stringEnd(_ bytes: [UInt8], _ quote: Int) -> Int {
        var place = quote + 1
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\\"): place += 2
            case UInt8(ascii: "\""): return place + 1
            default: place += 1
            }
        }
        return bytes.count
    }
}
