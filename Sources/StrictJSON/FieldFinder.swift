import Glibc

extension JSONOutline {
    package var entryCount: Int { second.count }

    package func range(of node: Node) -> Range<Int> { Int(node.nameStart) - 1..<Int(node.valueEnd) }
}

/// Finds the fields of successive entries in one pass each, without decoding them.
///
/// A field is identified by its index in the list of names. Entries with escapes are not supported, so bytes can be
/// compared as written.
package struct JSONFieldFinder {
    private let names: [StaticString]
    /// For each length the first name, linked to the next name of that length; -1 ends a chain.
    private var ofLength = [Int](repeating: -1, count: 64)
    private var nextOfLength: [Int]
    private var found: [JSONOutline.Node?]
    private var outline: JSONOutline?

    /// - Parameter names: each shorter than 64 bytes.
    package init(_ names: [StaticString]) {
        self.names = names
        nextOfLength = Array(repeating: -1, count: names.count)
        found = Array(repeating: nil, count: names.count)
        for (index, name) in names.enumerated() where name.utf8CodeUnitCount < ofLength.count {
            nextOfLength[index] = ofLength[name.utf8CodeUnitCount]
            ofLength[name.utf8CodeUnitCount] = index
        }
    }

    /// - Returns: false if the entry contains an escape or a duplicate name, or its own name cannot be decoded.
    package mutating func find(in outline: JSONOutline, _ entry: JSONOutline.Node) -> Bool {
        for index in found.indices { found[index] = nil }
        self.outline = outline
        guard !entry.needsCare, !entry.nameHasEscape,
            JSONBytes.firstBackslash(outline.bytes, Int(entry.nameStart), Int(entry.valueEnd)) == nil,
            JSONBytes.isPlain(outline.bytes[Int(entry.nameStart)..<Int(entry.nameEnd)])
        else { return false }
        outline.bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            for place in Int(entry.firstChild)..<Int(entry.endChild) {
                let node = outline.third[place]
                let length = Int(node.nameEnd - node.nameStart)
                guard length < ofLength.count, Int(node.nameEnd) <= buffer.count else { continue }
                var name = ofLength[length]
                while name >= 0 {
                    if memcmp(base + Int(node.nameStart), names[name].utf8Start, length) == 0 {
                        found[name] = node
                        break
                    }
                    name = nextOfLength[name]
                }
            }
        }
        return true
    }

    package func isMissing(_ field: Int) -> Bool { found[field] == nil }
    package func isNull(_ field: Int) -> Bool { first(field) == UInt8(ascii: "n") }
    package func isString(_ field: Int) -> Bool { first(field) == UInt8(ascii: "\"") }

    private func first(_ field: Int) -> UInt8? {
        guard let outline, let node = found[field] else { return nil }
        return outline.bytes[Int(node.valueStart)]
    }

    /// The bytes of a string without escapes, see ``JSONOutline/string(of:)``; otherwise nil.
    package func bytes(_ field: Int) -> ArraySlice<UInt8>? {
        guard let outline, let node = found[field], outline.isString(node) else { return nil }
        let bytes = outline.bytes[Int(node.valueStart) + 1..<Int(node.valueEnd) - 1]
        return JSONBytes.isPlain(bytes) ? bytes : nil
    }
}

extension ArraySlice<UInt8> {
    /// A hash that differs in every process.
    package var seededHash: Int {
        var hasher = Hasher()
        withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    package func isSame(as other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { left in
            other.withUnsafeBufferPointer { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return memcmp(left, right, count) == 0
            }
        }
    }
}
