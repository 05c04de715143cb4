/// A property list as a table of values that name each other by their places in it, so that no list, however it is
/// knotted, is ever walked without an end or copied more than once.
///
/// Values that are referred to many times are not copied, but they are looked through each time: what that costs over a
/// whole file is bounded by its ``Budget``, which everything that is read of the file shares.
struct PropertyList {
    /// How much may still be looked at: members of dictionaries, and bytes of texts and data. When it is spent nothing
    /// is found any more.
    final class Budget {
        private var left: Int

        /// - Parameter bytes: the file's size. An honest file is looked through a few times; a small one may have as
        ///   many items as a large one.
        init(forFileOf bytes: Int) { left = 4_194_304 + 8 * bytes }

        var isSpent: Bool { left < 0 }

        /// Whether it was enough.
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
        /// A place among an archive's objects.
        case uid(Int)
        case array([Int])
        case dictionary([Member])
    }

    struct Member: Hashable, Sendable {
        let key: Int
        let value: Int
    }

    /// Most values that are read: an item of an archive has some thirty.
    static let maximumValues = 500_000

    private(set) var values: [Value]
    private(set) var root: Int
    let budget: Budget

    init(values: [Value], root: Int, budget: Budget) { (self.values, self.root, self.budget) = (values, root, budget) }

    subscript(place: Int) -> Value? { values.indices.contains(place) ? values[place] : nil }

    /// The member of a dictionary; nil when the value is none or has no such member.
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
