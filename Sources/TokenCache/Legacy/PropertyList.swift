/// A property list as a table of values that name each other by their places in it, so that no list, however it is knotted, is ever walked
/// without an end or copied more than once.
struct PropertyList: Sendable {
    enum Value: Hashable, Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since 2001.
        case date(Double)
        case data([UInt8])
        case string(String)
        /// A place among an archive's objects.
        case uid(Int)
        case array([Int])
        case dictionary([Pair])
    }

    struct Pair: Hashable, Sendable {
        let key: Int
        let value: Int
    }

    /// Most values that are read: an item of an archive has some thirty.
    static let maximumValues = 500_000

    private(set) var values: [Value]
    private(set) var root: Int

    init(values: [Value], root: Int) {
        self.values = values
        self.root = root
    }

    subscript(place: Int) -> Value? { values.indices.contains(place) ? values[place] : nil }

    /// The member of a dictionary; nil when the value is none or has no such member.
    func member(_ name: String, of place: Int) -> Int? {
        guard case .dictionary(let pairs) = self[place] else { return nil }
        return pairs.first { self[$0.key] == .string(name) }?.value
    }

    func array(_ place: Int?) -> [Int]? {
        guard let place, case .array(let places) = self[place] else { return nil }
        return places
    }

    func string(_ place: Int?) -> String? {
        guard let place, case .string(let text) = self[place] else { return nil }
        return text
    }

    func data(_ place: Int?) -> [UInt8]? {
        guard let place, case .data(let bytes) = self[place] else { return nil }
        return bytes
    }

    func uid(_ place: Int?) -> Int? {
        guard let place, case .uid(let number) = self[place] else { return nil }
        return number
    }

    /// A number or a truth value as a number: archives hold both in each other's place.
    func number(_ place: Int?) -> Double? {
        guard let place else { return nil }
        switch self[place] {
        case .integer(let number): return Double(number)
        case .real(let number): return number.isFinite ? number : nil
        case .bool(let value): return value ? 1 : 0
        case .null, .date, .data, .string, .uid, .array, .dictionary, nil: return nil
        }
    }
}
