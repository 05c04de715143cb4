import Glibc

/// Walks a JSON text once and records the members of its first three levels.
///
/// Only this and ``JSONEntryReader`` read through a raw pointer. `base` is valid for `count` bytes during ``skim(_:)``
/// and never kept; every read is preceded by a comparison with `count`. Strings are skipped with memchr, as tokens are
/// nine tenths of the bytes in a cache.
struct OutlineScanner {
    private let maximumDepth: Int
    private var strictly: Bool
    private(set) var first: [JSONOutline.Node] = []
    var second: [JSONOutline.Node] = []
    var third: [JSONOutline.Node] = []

    init(maximumDepth: Int, strictly: Bool) { (self.maximumDepth, self.strictly) = (maximumDepth, strictly) }

    mutating func skim(_ bytes: [UInt8]) throws(JSONError) -> Range<Int> {
        second.reserveCapacity(min(bytes.count / 1024, 65_536))
        third.reserveCapacity(min(bytes.count / 128, 524_288))
        var outcome = Result<Range<Int>, JSONError>.failure(JSONError(offset: 0, problem: .unexpectedEnd))
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, buffer.count > 0 else { return }
            do throws(JSONError) {
                var cursor = Cursor(base: base, count: buffer.count)
                cursor.skipSpace()
                let start = cursor.at
                guard cursor.at < cursor.count else { throw cursor.wrong(.unexpectedEnd) }
                guard base[start] == UInt8(ascii: "{") else {
                    // For other values, syntax errors take precedence.
                    try value(&cursor, depth: 0)
                    cursor.skipSpace()
                    throw cursor.at == cursor.count
                        ? JSONError(offset: start, problem: .notAnObject) : cursor.wrong(.trailingBytes)
                }
                _ = try object(&cursor, level: 0, depth: 1)
                let end = cursor.at
                cursor.skipSpace()
                guard cursor.at == cursor.count else { throw cursor.wrong(.trailingBytes) }
                outcome = .success(start..<end)
            } catch { outcome = .failure(error) }
        }
        return try outcome.get()
    }

    /// Reads an object; on the first three levels its members become nodes.
    mutating func object(_ cursor: inout Cursor, level: Int, depth: Int) throws(JSONError) -> Members {
        guard depth <= maximumDepth else { throw cursor.wrong(.tooDeep) }
        if level > 2, strictly {
            try decoding(&cursor, depth: depth)
            return Members()
        }
        let firstNode = count(level)
        cursor.at += 1
        cursor.skipSpace()
        if cursor.peek == UInt8(ascii: "}") {
            cursor.at += 1
            return Members(first: firstNode, end: firstNode)
        }
        while true {
            cursor.skipSpace()
            guard cursor.peek == UInt8(ascii: "\"") else {
                throw cursor.wrong(cursor.peek == nil ? .unexpectedEnd : .unexpectedByte)
            }
            let name = try cursor.name()
            if strictly { try cursor.checkString(from: name.start, to: name.end) }
            cursor.skipSpace()
            try cursor.expect(UInt8(ascii: ":"))
            cursor.skipSpace()
            let valueStart = cursor.at
            var children = Members(first: count(level + 1), end: count(level + 1))
            if cursor.peek == UInt8(ascii: "{") {
                children = try object(&cursor, level: level + 1, depth: depth + 1)
            } else {
                try value(&cursor, depth: depth)
            }
            if level <= 2 {
                let node = JSONOutline.Node(
                    nameStart: UInt32(truncatingIfNeeded: name.start), nameEnd: UInt32(truncatingIfNeeded: name.end),
                    valueStart: UInt32(truncatingIfNeeded: valueStart), valueEnd: UInt32(truncatingIfNeeded: cursor.at),
                    firstChild: UInt32(truncatingIfNeeded: children.first),
                    endChild: UInt32(truncatingIfNeeded: children.end),
                    nameHasEscape: name.hasEscape, needsCare: children.needsCare)
                switch level {
                case 0: first.append(node)
                case 1: second.append(node)
                default: third.append(node)
                }
            }
            cursor.skipSpace()
            guard let byte = cursor.peek else { throw cursor.wrong(.unexpectedEnd) }
            cursor.at += 1
            if byte == UInt8(ascii: ",") { continue }
            guard byte == UInt8(ascii: "}") else {
                cursor.at -= 1
                throw cursor.wrong(.unexpectedByte)
            }
            break
        }
        guard level <= 2 else { return Members() }
        var members = Members(first: firstNode, end: count(level))
        if level < 2 || strictly {
            try refuseDuplicates(cursor, level: level, members.first..<members.end)
        } else {
            members.needsCare = needsCare(cursor, members.first..<members.end)
        }
        return members
    }

    struct Members {
        var first = 0
        var end = 0
        var needsCare = false
    }

    /// Objects have few fields, mostly of different lengths.
    private func needsCare(_ cursor: Cursor, _ nodes: Range<Int>) -> Bool {
        if nodes.count > 64 { return true }
        for right in nodes {
            let node = third[right]
            if node.nameHasEscape { return true }
            for left in nodes.lowerBound..<right
            where third[left].nameEnd - third[left].nameStart == node.nameEnd - node.nameStart {
                if cursor.isSameName(third[left], node) { return true }
            }
        }
        return false
    }

    private func count(_ level: Int) -> Int {
        switch level {
        case 0: first.count
        case 1: second.count
        case 2: third.count
        default: 0
        }
    }

    mutating func value(_ cursor: inout Cursor, depth: Int) throws(JSONError) {
        guard let byte = cursor.peek else { throw cursor.wrong(.unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "\""):
            let range = try cursor.string()
            if strictly { try cursor.checkString(from: range.start, to: range.end) }
        case UInt8(ascii: "{"): _ = try object(&cursor, level: 3, depth: depth + 1)
        case UInt8(ascii: "["): try array(&cursor, depth: depth + 1)
        case UInt8(ascii: "t"): try cursor.word("true")
        case UInt8(ascii: "f"): try cursor.word("false")
        case UInt8(ascii: "n"): try cursor.word("null")
        default: try cursor.number()
        }
    }

    private mutating func array(_ cursor: inout Cursor, depth: Int) throws(JSONError) {
        guard depth <= maximumDepth else { throw cursor.wrong(.tooDeep) }
        cursor.at += 1
        cursor.skipSpace()
        if cursor.peek == UInt8(ascii: "]") {
            cursor.at += 1
            return
        }
        while true {
            cursor.skipSpace()
            try value(&cursor, depth: depth)
            cursor.skipSpace()
            if cursor.peek == UInt8(ascii: "]") {
                cursor.at += 1
                return
            }
            try cursor.expect(UInt8(ascii: ","))
        }
    }

    /// Objects below the third level are rare, so the decoding reader checks them once their end is known.
    private mutating func decoding(_ cursor: inout Cursor, depth: Int) throws(JSONError) {
        let start = cursor.at
        strictly = false
        defer { strictly = true }
        _ = try object(&cursor, level: 3, depth: depth)
        let object = Cursor(base: cursor.base + start, count: cursor.at - start)
        var reader = Reader(object, maximumDepth: maximumDepth, takesLoneSurrogates: true)
        do throws(JSONError) { _ = try reader.value() } catch {
            throw JSONError(offset: start + error.offset, problem: error.problem)
        }
    }

    private func node(_ level: Int, _ index: Int) -> JSONOutline.Node {
        switch level {
        case 0: first[index]
        case 1: second[index]
        default: third[index]
        }
    }

    /// Compares decoded names. The hash table is seeded per process, so an attacker cannot cause collisions.
    private func refuseDuplicates(_ cursor: Cursor, level: Int, _ nodes: Range<Int>) throws(JSONError) {
        if nodes.count <= 12 {
            for right in nodes.dropFirst() {
                for left in nodes.lowerBound..<right where cursor.isSameName(node(level, left), node(level, right)) {
                    throw JSONError(offset: Int(node(level, right).nameStart), problem: .duplicateName)
                }
            }
            return
        }
        var size = 16
        while size < nodes.count * 2 { size *= 2 }
        var table = [UInt32](repeating: .max, count: size)
        for index in nodes {
            let current = node(level, index)
            var slot = cursor.hash(of: current) & (size - 1)
            while table[slot] != .max {
                if cursor.isSameName(node(level, Int(table[slot])), current) {
                    throw JSONError(offset: Int(current.nameStart), problem: .duplicateName)
                }
                slot = (slot + 1) & (size - 1)
            }
            table[slot] = UInt32(truncatingIfNeeded: index)
        }
    }
}

extension Cursor {
    fileprivate func isSameName(_ left: JSONOutline.Node, _ right: JSONOutline.Node) -> Bool {
        if left.nameHasEscape || right.nameHasEscape { return decoded(left) == decoded(right) }
        let length = left.nameEnd - left.nameStart
        return length == right.nameEnd - right.nameStart
            && memcmp(base + Int(left.nameStart), base + Int(right.nameStart), Int(length)) == 0
    }

    fileprivate func hash(of node: JSONOutline.Node) -> Int {
        var hasher = Hasher()
        if node.nameHasEscape {
            decoded(node).withUnsafeBytes { hasher.combine(bytes: $0) }
        } else {
            hasher.combine(
                bytes: UnsafeRawBufferPointer(
                    start: base + Int(node.nameStart), count: Int(node.nameEnd - node.nameStart)))
        }
        return hasher.finalize()
    }

    /// If the name cannot be decoded, its raw bytes: the strict check reports the error.
    private func decoded(_ node: JSONOutline.Node) -> [UInt8] {
        let quoted = Array(
            UnsafeBufferPointer(start: base + Int(node.nameStart) - 1, count: Int(node.nameEnd - node.nameStart) + 2))
        let limits = JSONLimits(maximumBytes: quoted.count)
        if let name = (try? JSONValue(parsing: quoted, limits: limits))?.string { return Array(name.utf8) }
        return quoted
    }
}
