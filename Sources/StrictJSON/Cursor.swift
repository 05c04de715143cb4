import Glibc

/// A position in the bytes of ``OutlineScanner``; used only within a call that keeps the pointer valid for `count`
/// bytes.
struct Cursor {
    let base: UnsafePointer<UInt8>
    let count: Int
    var at = 0

    init(base: UnsafePointer<UInt8>, count: Int) { (self.base, self.count) = (base, count) }

    func wrong(_ problem: JSONError.Problem) -> JSONError { JSONError(offset: at, problem: problem) }

    @inline(__always)
    var peek: UInt8? { at < count ? base[at] : nil }

    @inline(__always)
    mutating func skipSpace() {
        while at < count {
            let byte = base[at]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            at += 1
        }
    }

    func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard at < count else { throw wrong(.unexpectedEnd) }
        guard base[at] == byte else { throw wrong(.unexpectedByte) }
        at += 1
    }

    mutating func word(_ word: StaticString) throws(JSONError) {
        guard at + word.utf8CodeUnitCount <= count, memcmp(base + at, word.utf8Start, word.utf8CodeUnitCount) == 0
        else {
            throw wrong(.unexpectedByte)
        }
        at += word.utf8CodeUnitCount
    }

    /// For short strings: a loop is faster than a call and finds escapes on the way.
    mutating func name() throws(JSONError) -> (start: Int, end: Int, hasEscape: Bool) {
        let start = at + 1
        var place = start
        let near = min(count, start + 32)
        while place < near {
            let byte = base[place]
            if byte == UInt8(ascii: "\"") {
                at = place + 1
                return (start, place, false)
            }
            if byte == UInt8(ascii: "\\") { break }
            place += 1
        }
        let range = try string()
        let hasEscape = memchr(base + range.start, Int32(UInt8(ascii: "\\")), range.end - range.start) != nil
        return (range.start, range.end, hasEscape)
    }

    /// Skips a string and returns its inner bytes.
    mutating func string() throws(JSONError) -> (start: Int, end: Int) {
        let start = at + 1
        guard let quote = closingQuote(from: start) else {
            at = count
            throw wrong(.unexpectedEnd)
        }
        at = quote + 1
        return (start, quote)
    }

    /// The end of a string whose inner bytes start here. A quote ends it unless an odd number of backslashes precedes
    /// it.
    @inline(__always)
    func closingQuote(from start: Int) -> Int? {
        var from = start
        while from < count, let hit = memchr(base + from, Int32(UInt8(ascii: "\"")), count &- from) {
            let quote = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
            var first = quote
            while first > start, base[first &- 1] == UInt8(ascii: "\\") { first &-= 1 }
            if (quote &- first) & 1 == 0 { return quote }
            from = quote &+ 1
        }
        return nil
    }

    /// Checks escapes (RFC 8259 section 7) and rejects bare control characters. An unpaired surrogate is well-formed
    /// (section 8.2): it cannot be decoded, but can be kept.
    func checkString(from start: Int, to end: Int) throws(JSONError) {
        var place = start
        while place < end {
            let byte = base[place]
            guard byte >= 0x20 else { throw JSONError(offset: place, problem: .controlCharacter) }
            guard byte == UInt8(ascii: "\\") else {
                place += 1
                continue
            }
            let bad = JSONError(offset: place, problem: .badEscape)
            guard place + 1 < end else { throw bad }
            switch base[place + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                UInt8(ascii: "n"),
                UInt8(ascii: "r"),
                UInt8(ascii: "t"):
                place += 2
            case UInt8(ascii: "u"):
                guard isUnit(at: place, before: end) else { throw bad }
                place += 6
            default: throw bad
            }
        }
    }

    private func isUnit(at place: Int, before end: Int) -> Bool {
        guard place + 6 <= end else { return false }
        return (2..<6).allSatisfy { JSONBytes.hexDigit(base[place + $0]) != nil }
    }

    /// Checks only the grammar of RFC 8259 section 6.
    mutating func number() throws(JSONError) {
        if peek == UInt8(ascii: "-") { at += 1 } else if !isDigit { throw wrong(.unexpectedByte) }
        if peek == UInt8(ascii: "0") { at += 1 } else { try digits() }
        if peek == UInt8(ascii: ".") {
            at += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            at += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
    }

    private var isDigit: Bool { peek.map { $0 >= 0x30 && $0 <= 0x39 } ?? false }

    private mutating func digits() throws(JSONError) {
        guard isDigit else { throw wrong(.badNumber) }
        while isDigit { at += 1 }
    }
}
