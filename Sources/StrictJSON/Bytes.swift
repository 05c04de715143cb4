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
    static func isPlain(_ slice: ArraySlice<UInt8>) -> Bool {
        slice.withUnsafeBytes { raw in
            let ones: UInt64 = 0x0101_0101_0101_0101
            // A byte's highest bit is set if it is below 0x20 or a backslash.
            var special: UInt64 = 0
            var place = 0
            while place + 8 <= raw.count {
                let word = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                let other = word ^ (ones &* 0x5C)
                special |= ((word &- (ones &* 0x20)) & ~word) | ((other &- ones) & ~other)
                place += 8
            }
            for place in place..<raw.count where raw[place] < 0x20 || raw[place] == UInt8(ascii: "\\") {
                special |= 0x80
            }
            return special & (ones &* 0x80) == 0
        }
    }

    static func hasBackslash(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            guard start < end, end <= buffer.count, let base = buffer.baseAddress else { return false }
            return memchr(base + start, Int32(UInt8(ascii: "\\")), end - start) != nil
        }
    }

    static func isEqual(_ bytes: [UInt8], _ start: Int, _ wanted: [UInt8]) -> Bool {
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

    static func hash(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[range])) }
        return hasher.finalize()
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

    /// Thirty-two bytes at a time, as four words. Subtracting 0x20 from a smaller byte borrows into its highest bit.
    package mutating func look(at raw: UnsafeRawBufferPointer) {
        let spaces: UInt64 = 0x2020_2020_2020_2020
        let highest: UInt64 = 0x8080_8080_8080_8080
        var union: UInt64 = 0
        var place = 0
        while place + 32 <= raw.count {
            let a = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let b = raw.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
            let c = raw.loadUnaligned(fromByteOffset: place + 16, as: UInt64.self)
            let d = raw.loadUnaligned(fromByteOffset: place + 24, as: UInt64.self)
            union |= a | b | c | d
            let below =
                (((a &- spaces) & ~a) | ((b &- spaces) & ~b) | ((c &- spaces) & ~c) | ((d &- spaces) & ~d)) & highest
            if below != 0 { lookCloser(raw, at: place, columns: below) }
            place += 32
        }
        for offset in place..<raw.count {
            union |= UInt64(raw[offset])
            hasForbidden = hasForbidden || JSONBytes.isForbidden(raw[offset])
        }
        hasHigh = hasHigh || union & highest != 0
    }

    /// Line breaks often lead here, so only columns of the four words with a low byte are checked.
    @inline(__always)
    private mutating func lookCloser(_ raw: UnsafeRawBufferPointer, at place: Int, columns: UInt64) {
        var rest = columns.littleEndian
        while rest != 0 {
            let column = place + (rest.trailingZeroBitCount >> 3)
            for offset in stride(from: column, to: column + 32, by: 8) where JSONBytes.isForbidden(raw[offset]) {
                hasForbidden = true
            }
            rest &= rest &- 1
        }
    }
}
