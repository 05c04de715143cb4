/// What `NSKeyedArchiver` wrote: objects that name each other. They are read as data; a class's name is compared and
/// nothing else.
///
/// No walk through the graph is recursive: a reader asks for one member after the other, so that no circle can hold it.
struct KeyedArchive {
    /// An object's place among the archive's objects.
    struct ArchivedObject: Hashable {
        fileprivate let number: Int
    }

    /// The archiver counts from 2001, everyone else from 1970.
    static let secondsTo2001: Double = 978_307_200

    let root: ArchivedObject
    /// Whether so much was looked at that nothing is found any more.
    var isOverused: Bool { list.budget.isSpent }
    private let list: PropertyList
    private let objects: [Int]

    /// Whether a property list says that it is an archive.
    static func isOne(_ list: PropertyList) -> Bool { list.member("$archiver", of: list.root) != nil }

    init(_ list: PropertyList) throws(LegacyProblem.Situation) {
        guard list.string(list.member("$archiver", of: list.root)) == "NSKeyedArchiver" else { throw .unknownFormat }
        guard list.number(list.member("$version", of: list.root)) == 100_000 else {
            throw .version("it is an archive of a version that is not known")
        }
        guard let objects = list.array(list.member("$objects", of: list.root)), !objects.isEmpty else {
            throw .missing("objects")
        }
        guard let top = list.member("$top", of: list.root), case .dictionary(let pairs) = list[top] else {
            throw .missing("outermost object")
        }
        // An archive of one object calls it root; where it was given another name, it is the only one.
        guard let root = list.member("root", of: top) ?? (pairs.count == 1 ? pairs.first?.value : nil),
            let number = list.uid(root),
            objects.indices.contains(number)
        else { throw .missing("outermost object") }
        self.list = list
        self.objects = objects
        self.root = ArchivedObject(number: number)
    }

    /// The classes of an object, its own first; empty for plain values.
    func classes(of object: ArchivedObject) -> [String] {
        guard let described = list.uid(list.member("$class", of: place(object))).flatMap(self.object) else { return [] }
        let own = list.string(list.member("$classname", of: place(described)))
        let all = (list.array(list.member("$classes", of: place(described))) ?? []).prefix(16).compactMap {
            list.string($0)
        }
        return (own.map { [$0] } ?? []) + all
    }

    func isA(_ name: String, _ object: ArchivedObject) -> Bool { classes(of: object).contains(name) }

    /// What an object's key refers to; nil when the key is missing or refers to the archive's null.
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

    /// A dictionary's keys and values, no more than items are read; nil when the object is none, or refers to what is
    /// not there.
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

    /// The value that a dictionary has under a text.
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
