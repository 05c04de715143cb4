// StrictJSON reads all JSON from outside: exactly RFC 8259, with limits. It must not know any field names.

package struct JSONLimits: Hashable, Sendable {
    /// Bytes of the whole text; 512 KiB for provider responses.
    package var maximumBytes: Int
    package var maximumDepth: Int

    package init(maximumBytes: Int = 524_288, maximumDepth: Int = 32) {
        (self.maximumBytes, self.maximumDepth) = (maximumBytes, maximumDepth)
    }
}

package struct JSONMember: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }
}

/// Members in their original order; the reader rejects duplicate names.
package struct JSONObject: Hashable, Sendable {
    package var members: [JSONMember]

    package init(_ members: [JSONMember] = []) { self.members = members }

    /// Compares names byte by byte, so look-alikes do not match.
    package subscript(name: String) -> JSONValue? { members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
}

/// A number as written; callers decide how to interpret it.
package struct JSONNumber: Hashable, Sendable {
    package let text: String
    package init(text: String) { self.text = text }

    /// The value of a text with a fraction or exponent if it is whole. Uses decimal digits because Double cannot tell
    /// neighbors apart beyond 2^53.
    var exactInteger: Int64? {
        let parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
        let exponent = parts.count == 2 ? Substring(parts[1]) : "0"
        guard let power = Int(exponent), power.magnitude <= 4096, let mantissa = parts.first else { return nil }
        let sides = mantissa.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        var digits = sides.flatMap { Array($0) }
        var scale = power - (sides.count == 2 ? sides[1].count : 0)
        guard digits.contains(where: { (0x31...0x39).contains($0) }) else { return 0 }
        while scale < 0, digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            scale += 1
        }
        guard scale >= 0, scale <= 19 else { return nil }
        digits.append(contentsOf: [UInt8](repeating: UInt8(ascii: "0"), count: scale))
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}

package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// Reads a complete text.
    ///
    /// - Throws: ``JSONError`` for anything that RFC 8259 does not allow, for a byte order mark, for duplicate names,
    ///   and beyond the limits.
    package init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        guard bytes.count <= limits.maximumBytes else {
            throw JSONError(offset: limits.maximumBytes, problem: .tooLarge)
        }
        self = try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            guard let base = buffer.baseAddress else { throw JSONError(offset: 0, problem: .unexpectedEnd) }
            var reader = Reader(Cursor(base: base, count: buffer.count), maximumDepth: limits.maximumDepth)
            return try reader.document()
        }
    }

    package var object: JSONObject? {
        if case .object(let object) = self { return object }
        return nil
    }

    package var array: [JSONValue]? {
        if case .array(let values) = self { return values }
        return nil
    }

    package var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    package var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The exact integer value, also of `3600.0` and `36e2`; nil for fractions, strings and values that do not fit.
    package var integer: Int64? {
        guard case .number(let number) = self else { return nil }
        return Int64(number.text) ?? number.exactInteger
    }

    package var double: Double? {
        guard case .number(let number) = self, let value = Double(number.text), value.isFinite else { return nil }
        return value
    }

    package subscript(name: String) -> JSONValue? { object?[name] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .number(JSONNumber(text: String(value))) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONMember(name: $0.0, value: $0.1) }))
    }
}

/// The position and reason of invalid JSON. Contains none of the text.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: String, Hashable, Sendable {
        case tooLarge = "too large"
        case tooDeep = "nested too deeply"
        case notUTF8 = "not UTF-8"
        case byteOrderMark = "begins with a byte order mark"
        case unexpectedByte = "unexpected character"
        case unexpectedEnd = "unexpected end"
        case duplicateName = "duplicate name"
        case badEscape = "invalid escape"
        case controlCharacter = "control character in a string"
        case badNumber = "invalid number"
        case trailingBytes = "unexpected data after the end"
        case notAnObject = "not an object"
    }

    /// Bytes from the start.
    package let offset: Int
    package let problem: Problem

    package init(offset: Int, problem: Problem) { (self.offset, self.problem) = (offset, problem) }

    package var description: String { "\(problem.rawValue) (byte \(offset))" }
}
