package protocol JSONStored {
    /// - Returns: nil for an invalid value.
    init?(_ value: JSONValue)
    var json: JSONValue { get }
}

/// A value that is stored as a JSON object, with one description of its members for reading and writing.
package protocol JSONRecord: JSONStored {
    init()
    /// Calls `member` with each member's name, variable and form.
    mutating func describe(_ member: inout JSONMembers)
}

extension JSONRecord {
    /// Ignores members without a description.
    ///
    /// - Returns: nil if a required member is missing or invalid.
    package init?(_ value: JSONValue) {
        guard let object = value.object else { return nil }
        self.init()
        var members = JSONMembers(reads: object)
        describe(&members)
        guard members.isWhole else { return nil }
    }

    package var json: JSONValue {
        var (copy, members) = (self, JSONMembers(reads: nil))
        copy.describe(&members)
        return .object(JSONObject(members.written))
    }
}

package struct JSONMembers {
    private let object: JSONObject?
    fileprivate private(set) var written: [JSONMember] = []
    fileprivate private(set) var isWhole = true

    /// - Parameter object: nil when writing.
    fileprivate init(reads object: JSONObject?) { self.object = object }

    package mutating func callAsFunction<Value>(_ name: String, _ value: inout Value, _ form: JSONForm<Value>) {
        guard let object else { return written.append(JSONMember(name: name, value: form.write(value))) }
        if let found = object[name].flatMap(form.read) { value = found } else { isWhole = false }
    }

    /// An optional member; an invalid value counts as missing.
    package mutating func callAsFunction<Value>(_ name: String, _ value: inout Value?, _ form: JSONForm<Value>) {
        guard let object else {
            if let value { written.append(JSONMember(name: name, value: form.write(value))) }
            return
        }
        value = object[name].flatMap(form.read)
    }

    /// A member that keeps its blank value if missing or invalid.
    package mutating func orBlank<Value>(_ name: String, _ value: inout Value, _ form: JSONForm<Value>) {
        let before = isWhole
        self(name, &value, form)
        isWhole = before
    }
}

package struct JSONForm<Value> {
    let read: (JSONValue) -> Value?
    let write: (Value) -> JSONValue

    /// Represents a value by another one.
    ///
    /// - Parameter read: returns nil for an invalid value.
    package func map<New>(_ read: @escaping (Value) -> New?, _ write: @escaping (New) -> Value) -> JSONForm<New> {
        JSONForm<New>(
            read: { [outer = self.read] in outer($0).flatMap(read) },
            write: { [outer = self.write] in outer(write($0)) })
    }

    /// Represents nil as null.
    package static func orNull<Wrapped>(_ form: JSONForm<Wrapped>) -> Self where Value == Wrapped? {
        Self(
            read: { $0 == .null ? .some(nil) : form.read($0).map(Optional.some) },
            write: { $0.map(form.write) ?? .null })
    }

    /// The leading items that are valid.
    ///
    /// - Parameter most: further items are ignored.
    package static func items<Item>(_ form: JSONForm<Item>, most: Int) -> Self where Value == [Item] {
        Self(read: { $0.array?.prefix(most).compactMap(form.read) }, write: { .array($0.map(form.write)) })
    }

    /// Items that must all be valid; one invalid item, or too many, makes the list invalid.
    package static func all<Item>(_ form: JSONForm<Item>, most: Int) -> Self where Value == [Item] {
        Self(
            read: { value in
                guard let items = value.array, items.count <= most else { return nil }
                let read = items.compactMap(form.read)
                return read.count == items.count ? read : nil
            }, write: { .array($0.map(form.write)) })
    }
}

extension JSONForm where Value == String {
    package static var text: Self { Self(read: \.string, write: { .string($0) }) }

    /// - Parameter longest: in bytes; longer strings are invalid.
    package static func text(longest: Int) -> Self {
        text.map({ $0.utf8.count <= longest ? $0 : nil }, \.self)
    }
}

extension JSONForm where Value: FixedWidthInteger {
    package static var integer: Self {
        Self(
            read: { $0.integer.flatMap { Value(exactly: $0) } },
            write: { .number(JSONNumber(text: String($0))) })
    }
}

extension JSONForm where Value == Double {
    package static var number: Self { Self(read: \.double, write: { .number(JSONNumber(text: String($0))) }) }
}

extension JSONForm where Value == JSONObject {
    package static var object: Self { Self(read: \.object, write: { .object($0) }) }
}

extension JSONForm where Value: JSONStored {
    package static var record: Self { Self(read: { Value($0) }, write: \.json) }
}

extension JSONForm where Value: RawRepresentable<String> {
    package static var word: Self { JSONForm<String>.text.map({ Value(rawValue: $0) }, \.rawValue) }
}
