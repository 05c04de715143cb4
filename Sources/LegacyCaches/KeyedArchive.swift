/// An `NSKeyedArchiver` archive: objects that refer to each other, read as plain data. Class names are only compared.
/// Lookups read one member at a time and never recurse, so cycles cannot cause an endless loop.
struct KeyedArchive {
    struct ArchivedObject: Hashable {
        fileprivate let number: Int
    }

    /// The archiver counts from 2001, all other code from 1970.
    static let secondsTo2001: Double = 978_307_200

    let root: ArchivedObject
    /// Whether the budget is spent, so that lookups find nothing any more.
    var isOverused: Bool { list.budget.isSpent }
    private let list: PropertyList
    private let objects: [Int]

    static func isOne(_ list: PropertyList) -> Bool { list.member("$archiver", of: list.root) != nil }

    init(_ list: PropertyList) throws(LegacyProblem.Situation) {
        guard list.string(list.member("$archiver", of: list.root)) == "NSKeyedArchiver" else { throw .unknownFormat }
        guard list.number(list.member("$version", of: list.root)) == 100_000 else {
            throw .version("unknown archive version")
        }
        guard let objects = list.array(list.member("$objects", of: list.root)), !objects.isEmpty else {
            throw .missing("objects")
        }
        guard let top = list.member("$top", of: list.root), case .dictionary(let pairs) = list[top] else {
            throw .missing("root object")
        }
        // An archive of one object calls it "root". Under another name, it is the only member.
        guard let root = list.member("root", of: top) ?? (pairs.count == 1 ? pairs.first?.value : nil),
            let number = list.uid(root),
            objects.indices.contains(number)
        else { throw .missing("root object") }
        self.list = list
        self.objects = objects
        self.root = ArchivedObject(number: number)
    }

    /// The classes of an object, most specific first; empty for plain values.
    func classes(of object: ArchivedObject) -> [String] {
        guard let described = list.uid(list.member("$class", of: place(object))).flatMap(self.object) else { return [] }
        let own = list.string(list.member("$classname", of: place(described)))
        let all = (list.array(list.member("$classes", of: place(described))) ?? []).prefix(16).compactMap {
            list.string($0)
        }
        return (own.map { [$0] } ?? []) + all
    }

    func isA(_ name: String, _ object: ArchivedObject) -> Bool { classes(of: object).contains(name) }

    /// The object that a key refers to; nil if the key is missing or refers to the archive's null.
    func member(_ name: String, of object: ArchivedObject) -> ArchivedObject? {
        target(list.member(name, of: place(object)))
    }

    func string(_ object: ArchivedObject?) -> String? {
        guard let object else { return nil }
        if let text = list.string(place(object)) { return text }
        guard isA("NSString", object) || isA("NSMutableString", object) else { return nil }
        return list.string(list.member("NS.string", of: place(object)))
    }

    /// Seconds since 1970.
    func date(_ object: ArchivedObject?) -> Double? {
        guard let object else { return nil }
        if case .date(let seconds) = list[place(object)] { return seconds + Self.secondsTo2001 }
        guard isA("NSDate", object) else { return nil }
        return list.number(list.member("NS.time", of: place(object))).map { $0 + Self.secondsTo2001 }
    }

    func data(_ object: ArchivedObject?) -> [UInt8]? {
        guard let object else { return nil }
        if let bytes = list.data(place(object)) { return bytes }
        guard isA("NSData", object) || isA("NSMutableData", object) else { return nil }
        return list.data(list.member("NS.data", of: place(object)))
    }

    func number(_ object: ArchivedObject?) -> Double? {
        guard let object else { return nil }
        return list.number(place(object))
    }

    /// A dictionary's pairs, up to the item limit; nil for another type or a dangling reference.
    func pairs(_ object: ArchivedObject?) -> [(key: ArchivedObject, value: ArchivedObject)]? {
        guard let object, isA("NSDictionary", object) || isA("NSMutableDictionary", object),
            let keys = list.array(list.member("NS.keys", of: place(object))),
            let values = list.array(list.member("NS.objects", of: place(object))), keys.count == values.count
        else { return nil }
        var pairs: [(key: ArchivedObject, value: ArchivedObject)] = []
        for (key, value) in zip(keys, values).prefix(LegacyCache.maximumItems + 1) {
            guard list.budget.spend(1) else { return nil }
            guard let key = target(key), let value = target(value) else { return nil }
            pairs.append((key, value))
        }
        return pairs
    }

    func value(_ name: String, of object: ArchivedObject?) -> ArchivedObject? {
        pairs(object)?.first { string($0.key) == name }?.value
    }

    private func place(_ object: ArchivedObject) -> Int { objects[object.number] }

    private func object(_ number: Int) -> ArchivedObject? {
        objects.indices.contains(number) ? ArchivedObject(number: number) : nil
    }

    private func target(_ place: Int?) -> ArchivedObject? {
        // The first object is always the archive's null.
        guard let number = list.uid(place), number > 0 else { return nil }
        return object(number)
    }
}
