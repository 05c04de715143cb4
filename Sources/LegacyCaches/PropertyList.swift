/// A property list as a table of values that refer to each other by index, so that cyclic or shared values are never
/// followed endlessly or copied. Each read of a shared value costs: the file's ``Budget`` bounds the total.
struct PropertyList {
    /// Dictionary members, and bytes of strings and data, left to read. Once spent, lookups find nothing.
    final class Budget {
        private var left: Int

        /// - Parameter bytes: the file's size. A valid file is read a few times over; a small one can have as many
        ///   items as a large one.
        init(forFileOf bytes: Int) { left = 4_194_304 + 8 * bytes }

        var isSpent: Bool { left < 0 }

        /// Whether the budget was enough.
        func spend(_ cost: Int) -> Bool {
            left -= min(cost, 1 << 40)
            return left >= 0
        }
    }

    enum Value: Hashable, Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since 2001.
        case date(Double)
        case data([UInt8])
        case string(String)
        /// An index into an archive's objects.
        case uid(Int)
        case array([Int])
        case dictionary([Member])
    }

    struct Member: Hashable, Sendable {
        let key: Int
        let value: Int
    }

    /// Maximum number of values: an archived item has about thirty.
    static let maximumValues = 500_000

    private(set) var values: [Value]
    private(set) var root: Int
    let budget: Budget

    init(values: [Value], root: Int, budget: Budget) { (self.values, self.root, self.budget) = (values, root, budget) }

    subscript(place: Int) -> Value? { values.indices.contains(place) ? values[place] : nil }

    /// A dictionary's member; nil if the value is not a dictionary or has no such member.
    func member(_ name: String, of place: Int) -> Int? {
        guard case .dictionary(let pairs) = self[place] else { return nil }
        for (count, pair) in pairs.enumerated() {
            guard case .string(let key) = self[pair.key], key == name else { continue }
            return budget.spend(count + 1) ? pair.value : nil
        }
        _ = budget.spend(pairs.count)
        return nil
    }

    func array(_ place: Int?) -> [Int]? {
        guard let place, case .array(let places) = self[place] else { return nil }
        return places
    }

    func string(_ place: Int?) -> String? {
        guard let place, case .string(let text) = self[place], budget.spend(1 + text.utf8.count) else { return nil }
        return text
    }

    func data(_ place: Int?) -> [UInt8]? {
        guard let place, case .data(let bytes) = self[place], budget.spend(1 + bytes.count) else { return nil }
        return bytes
    }

    func uid(_ place: Int?) -> Int? {
        guard let place, case .uid(let number) = self[place] else { return nil }
        return number
    }

    /// A number or Boolean as a number: archives use either one for the other.
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
