import Glibc

/// Comparisons and searches on raw bytes for ``JSONOutline``. Pointers are valid for one call, and lengths come from
/// the array itself.
enum JSONBytes {
    /// Rejects bytes that no JSON text may contain: control characters other than white space, and invalid UTF-8.
    ///
    /// - Parameter screen: an earlier check of the same bytes.
    static func check(_ bytes: [UInt8], _ screen: JSONByteScan?) throws(JSONError) {
        var seen = screen ?? JSONByteScan()
        if screen == nil { bytes.withUnsafeBytes { seen.look(at: $0) } }
        if seen.hasForbidden {
            let offset = bytes.firstIndex(where: isForbidden) ?? 0
            throw JSONError(offset: offset, problem: offset == 0 ? .unexpectedByte : .controlCharacter)
        }
        guard seen.hasHigh else { return }
        do { _ = try UTF8Span(validating: bytes.span) } catch {
            throw JSONError(offset: error.byteOffsets.lowerBound, problem: .notUTF8)
        }
    }

    @inline(__always)
    fileprivate static func isForbidden(_ byte: UInt8) -> Bool {
        (byte < 0x20) && (byte != 0x0A) && (byte != 0x0D) && (byte != 0x09)
    }

    /// Whether a string's inner bytes need no decoding.
    static func isPlain(_ slice: ArraySlice<UInt8>) -> Bool { slice.withUnsafeBytes { isPlain($0) } }

    /// Whether no byte is a control character or a backslash.
    ///
    /// - Parameter isASCII: whether also to reject DEL and bytes above ASCII.
    @inline(__always)
    static func isPlain(_ raw: UnsafeRawBufferPointer, isASCII: Bool = false) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // A byte's highest bit is set if it is below 0x20 or a backslash.
        var special: UInt64 = 0
        func look(at word: UInt64) {
            let other = word ^ (ones &* 0x5C)
            special |= ((word &- (ones &* 0x20)) & ~word) | ((other &- ones) & ~other)
            if isASCII { special |= word | (word &+ ones) }
        }
        var place = 0
        while place &+ 8 <= raw.count {
            look(at: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place &+= 8
        }
        // The rest in a word of its own, filled with a plain byte.
        var rest = ones &* 0x20
        while place < raw.count {
            rest = rest << 8 | UInt64(raw[place])
            place &+= 1
        }
        look(at: rest)
        return special & (ones &* 0x80) == 0
    }

    static func firstBackslash(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            guard start < end, end <= buffer.count, let base = buffer.baseAddress,
                let hit = memchr(base + start, Int32(UInt8(ascii: "\\")), end - start)
            else { return nil }
            return UnsafeRawPointer(hit) - UnsafeRawPointer(base)
        }
    }

    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46, 0x61...0x66: UInt32(byte & 0x5F - 0x37)
        default: nil
        }
    }

    static func isEqual(_ bytes: [UInt8], _ start: Int, _ wanted: ArraySlice<UInt8>) -> Bool {
        wanted.withUnsafeBufferPointer { isEqual(bytes, start, $0) }
    }

    static func isEqual(_ bytes: [UInt8], _ start: Int, _ wanted: StaticString) -> Bool {
        wanted.withUTF8Buffer { isEqual(bytes, start, $0) }
    }

    static func isEqual(_ bytes: [UInt8], _ left: Range<Int>, _ right: Range<Int>) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            guard left.count == right.count, left.upperBound <= buffer.count, right.upperBound <= buffer.count,
                let base = buffer.baseAddress
            else {
                return false
            }
            return memcmp(base + left.lowerBound, base + right.lowerBound, left.count) == 0
        }
    }

    /// Whether the wanted bytes are at a place, apart from the case of ASCII letters.
    static func isEqualIgnoringCase(_ bytes: [UInt8], _ start: Int, _ wanted: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            wanted.withUnsafeBufferPointer { wanted in
                guard start + wanted.count <= bytes.count else { return false }
                for place in 0..<wanted.count {
                    let (one, other) = (bytes[start + place], wanted[place])
                    guard one == other || (one ^ other == 0x20 && (0x61...0x7A).contains(one | 0x20)) else {
                        return false
                    }
                }
                return true
            }
        }
    }

    @inline(__always)
    private static func isEqual(_ bytes: [UInt8], _ start: Int, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            guard let left = buffer.baseAddress, let right = wanted.baseAddress else { return wanted.isEmpty }
            guard start + wanted.count <= buffer.count else { return false }
            return memcmp(left + start, right, wanted.count) == 0
        }
    }
}

/// The only check of every byte. Doing it block by block while reading, with the bytes still in the CPU cache, halves
/// its cost.
package struct JSONByteScan: Sendable {
    private(set) var hasForbidden = false
    private(set) var hasHigh = false

    package init() {}

    /// Without a branch, so that the compiler checks many bytes at a time. The highest bit of `forbidden` is set if a
    /// byte is below 0x20, as only the difference then has its highest bit, and differs from white space.
    package mutating func look(at raw: UnsafeRawBufferPointer) {
        guard let base = raw.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        var (union, forbidden): (UInt8, UInt8) = (0, 0)
        var place = 0
        while place < raw.count {
            let byte = base[place]
            union |= byte
            forbidden |=
                (byte &- 0x20) & ~byte & ((byte ^ 0x09) &+ 0x7F) & ((byte ^ 0x0A) &+ 0x7F) & ((byte ^ 0x0D) &+ 0x7F)
            place &+= 1
        }
        hasForbidden = hasForbidden || forbidden >= 0x80
        hasHigh = hasHigh || union >= 0x80
    }
}
