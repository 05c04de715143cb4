import Glibc

/// The functions of libsecret, GLib and GIO in use, looked up at run time.
///
/// Signatures as documented for version 0.20; none is variadic.
struct Libsecret: Sendable {
    typealias GPointer = UnsafeMutableRawPointer
    typealias Text = UnsafePointer<CChar>
    private typealias Hash = @convention(c) (GPointer?) -> UInt32
    private typealias Equal = @convention(c) (GPointer?, GPointer?) -> Int32

    /// Loaded once; nil if not installed.
    static let shared = Libsecret()

    private let hashTable: @convention(c) (Hash, Equal) -> GPointer?
    private let stringHash: Hash
    private let stringEqual: Equal
    private let insert: @convention(c) (GPointer, GPointer?, GPointer?) -> Int32
    private let unrefTable: @convention(c) (GPointer) -> Void
    private let unrefObject: @convention(c) (GPointer) -> Void
    private let freeError: @convention(c) (GPointer) -> Void
    private let freeList: @convention(c) (GPointer) -> Void
    private let schemaNew: @convention(c) (Text, Int32, GPointer) -> GPointer?
    private let schemaUnref: @convention(c) (GPointer) -> Void
    private let serviceSearch:
        @convention(c) (GPointer?, GPointer?, GPointer, Int32, GPointer?, ErrorPlace) -> GPointer?
    private let itemLocked: @convention(c) (GPointer) -> Int32
    private let itemSecret: @convention(c) (GPointer) -> GPointer?
    private let valueGet: @convention(c) (GPointer, UnsafeMutablePointer<UInt>) -> UnsafePointer<UInt8>?
    private let valueUnref: @convention(c) (GPointer) -> Void
    private let serviceGet: @convention(c) (Int32, GPointer?, ErrorPlace) -> GPointer?
    private let collectionForAlias: @convention(c) (GPointer?, Text, Int32, GPointer?, ErrorPlace) -> GPointer?
    private let collectionLocked: @convention(c) (GPointer) -> Int32
    private let passwordStore: @convention(c) (GPointer, GPointer, Text?, Text, Text, GPointer?, ErrorPlace) -> Int32
    private let passwordClear: @convention(c) (GPointer, GPointer, GPointer?, ErrorPlace) -> Int32
    fileprivate let cancellableNew: @convention(c) () -> GPointer?
    fileprivate let cancellableCancel: @convention(c) (GPointer) -> Void

    private typealias ErrorPlace = UnsafeMutablePointer<GPointer?>

    private init?() {
        // RTLD_NOW: detects missing symbols here and not during a call. Never unloaded, as GLib has threads.
        guard let library = dlopen("libsecret-1.so.0", RTLD_NOW) else { return nil }
        // A library's handle also finds symbols of its dependencies.
        func find(_ name: String) -> GPointer? { dlsym(library, name) }
        guard let hashTable = find("g_hash_table_new"), let stringHash = find("g_str_hash"),
            let stringEqual = find("g_str_equal"),
            let insert = find("g_hash_table_insert"), let unrefTable = find("g_hash_table_unref"),
            let unrefObject = find("g_object_unref"),
            let freeError = find("g_error_free"), let freeList = find("g_list_free"),
            let schemaNew = find("secret_schema_newv"),
            let schemaUnref = find("secret_schema_unref"), let serviceSearch = find("secret_service_search_sync"),
            let itemLocked = find("secret_item_get_locked"), let itemSecret = find("secret_item_get_secret"),
            let valueGet = find("secret_value_get"), let valueUnref = find("secret_value_unref"),
            let serviceGet = find("secret_service_get_sync"),
            let collectionForAlias = find("secret_collection_for_alias_sync"),
            let collectionLocked = find("secret_collection_get_locked"),
            let passwordStore = find("secret_password_storev_sync"),
            let passwordClear = find("secret_password_clearv_sync"),
            let cancellableNew = find("g_cancellable_new"), let cancellableCancel = find("g_cancellable_cancel")
        else { return nil }
        self.hashTable = unsafeBitCast(hashTable, to: (@convention(c) (Hash, Equal) -> GPointer?).self)
        self.stringHash = unsafeBitCast(stringHash, to: Hash.self)
        self.stringEqual = unsafeBitCast(stringEqual, to: Equal.self)
        self.insert = unsafeBitCast(insert, to: (@convention(c) (GPointer, GPointer?, GPointer?) -> Int32).self)
        self.unrefTable = unsafeBitCast(unrefTable, to: (@convention(c) (GPointer) -> Void).self)
        self.unrefObject = unsafeBitCast(unrefObject, to: (@convention(c) (GPointer) -> Void).self)
        self.freeError = unsafeBitCast(freeError, to: (@convention(c) (GPointer) -> Void).self)
        self.freeList = unsafeBitCast(freeList, to: (@convention(c) (GPointer) -> Void).self)
        self.schemaNew = unsafeBitCast(schemaNew, to: (@convention(c) (Text, Int32, GPointer) -> GPointer?).self)
        self.schemaUnref = unsafeBitCast(schemaUnref, to: (@convention(c) (GPointer) -> Void).self)
        self.serviceSearch = unsafeBitCast(
            serviceSearch,
            to: (@convention(c) (GPointer?, GPointer?, GPointer, Int32, GPointer?, ErrorPlace) -> GPointer?).self)
        self.itemLocked = unsafeBitCast(itemLocked, to: (@convention(c) (GPointer) -> Int32).self)
        self.itemSecret = unsafeBitCast(itemSecret, to: (@convention(c) (GPointer) -> GPointer?).self)
        self.valueGet = unsafeBitCast(
            valueGet, to: (@convention(c) (GPointer, UnsafeMutablePointer<UInt>) -> UnsafePointer<UInt8>?).self)
        self.valueUnref = unsafeBitCast(valueUnref, to: (@convention(c) (GPointer) -> Void).self)
        self.serviceGet = unsafeBitCast(
            serviceGet, to: (@convention(c) (Int32, GPointer?, ErrorPlace) -> GPointer?).self)
        self.collectionForAlias = unsafeBitCast(
            collectionForAlias, to: (@convention(c) (GPointer?, Text, Int32, GPointer?, ErrorPlace) -> GPointer?).self)
        self.collectionLocked = unsafeBitCast(collectionLocked, to: (@convention(c) (GPointer) -> Int32).self)
        self.passwordStore = unsafeBitCast(
            passwordStore,
            to: (@convention(c) (GPointer, GPointer, Text?, Text, Text, GPointer?, ErrorPlace) -> Int32).self)
        self.passwordClear = unsafeBitCast(
            passwordClear, to: (@convention(c) (GPointer, GPointer, GPointer?, ErrorPlace) -> Int32).self)
        self.cancellableNew = unsafeBitCast(cancellableNew, to: (@convention(c) () -> GPointer?).self)
        self.cancellableCancel = unsafeBitCast(cancellableCancel, to: (@convention(c) (GPointer) -> Void).self)
    }

    /// Cancels a call from another thread.
    final class Cancellable: Sendable {
        /// Stored as a number, as only GLib accesses the object from two threads, which it is designed for.
        private let address: UInt

        init?() {
            guard let library = Libsecret.shared, let made = library.cancellableNew() else { return nil }
            address = UInt(bitPattern: made)
        }

        deinit { if let object { Libsecret.shared?.unrefObject(object) } }

        fileprivate var object: GPointer? { GPointer(bitPattern: address) }

        func cancel() { if let object { Libsecret.shared?.cancellableCancel(object) } }
    }

    // MARK: Calls

    /// The content of the first unlocked item.
    func search(_ item: KeyringItem, _ cancellable: Cancellable) throws(KeyringTrouble) -> [UInt8]? {
        try with(item) { schema, attributes throws(KeyringTrouble) in
            var error: GPointer?
            // SECRET_SEARCH_ALL and SECRET_SEARCH_LOAD_SECRETS, without SECRET_SEARCH_UNLOCK.
            let list = serviceSearch(nil, schema, attributes, 1 << 1 | 1 << 3, cancellable.object, &error)
            if let error { throw trouble(error) }
            guard let list else { return nil }
            defer { free(list) }
            var isLocked = false
            var found: [UInt8]?
            for object in objects(of: list) {
                if itemLocked(object) != 0 {
                    isLocked = true
                    continue
                }
                guard found == nil, let value = itemSecret(object) else { continue }
                defer { valueUnref(value) }
                var length: UInt = 0
                guard let bytes = valueGet(value, &length) else { continue }
                guard length <= UInt(StoreSize.maximumInKeyring) else { throw .tooLarge(bytes: Int(clamping: length)) }
                found = Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
            }
            if found == nil, isLocked { throw .locked }
            return found
        }
    }

    /// - Throws: `missing` if there is no default keyring, `locked` if it is locked.
    func expectUnlocked(_ cancellable: Cancellable) throws(KeyringTrouble) {
        var error: GPointer?
        // SECRET_SERVICE_OPEN_SESSION; SECRET_COLLECTION_NONE
        guard let service = serviceGet(1 << 1, cancellable.object, &error) else { throw trouble(error) }
        defer { unrefObject(service) }
        let collection = collectionForAlias(service, "default", 0, cancellable.object, &error)
        if let error { throw trouble(error) }
        guard let collection else { throw .missing("the session has no default keyring") }
        defer { unrefObject(collection) }
        guard collectionLocked(collection) == 0 else { throw .locked }
    }

    func store(_ text: [UInt8], _ item: KeyringItem, _ cancellable: Cancellable) throws(KeyringTrouble) {
        var text = text.map(CChar.init(bitPattern:)) + [0]
        defer {
            text.withUnsafeMutableBytes { room in if let start = room.baseAddress { explicit_bzero(start, room.count) }
            }
        }
        try with(item) { schema, attributes throws(KeyringTrouble) in
            var error: GPointer?
            guard passwordStore(schema, attributes, nil, item.label, text, cancellable.object, &error) != 0 else {
                throw trouble(error)
            }
        }
    }

    func clear(_ item: KeyringItem, _ cancellable: Cancellable) throws(KeyringTrouble) {
        try with(item) { schema, attributes throws(KeyringTrouble) in
            var error: GPointer?
            guard passwordClear(schema, attributes, cancellable.object, &error) != 0 else { throw trouble(error) }
        }
    }

    /// Creates a schema and an attribute table for one call.
    private func with<Value>(_ item: KeyringItem, _ body: (GPointer, GPointer) throws(KeyringTrouble) -> Value)
        throws(KeyringTrouble)
        -> Value
    {
        let names = item.attributes.sorted { $0.key < $1.key }
        // Copies that outlive the tables, which only store pointers.
        let copies = names.map { (strdup($0.key), strdup($0.value)) }
        defer {
            for (name, value) in copies {
                Self.free(name)
                Self.free(value)
            }
        }
        guard let types = hashTable(stringHash, stringEqual) else { throw .refused("out of memory") }
        defer { unrefTable(types) }
        guard let attributes = hashTable(stringHash, stringEqual) else { throw .refused("out of memory") }
        defer { unrefTable(attributes) }
        for (name, value) in copies {
            guard let name, let value else { throw .refused("out of memory") }
            // SECRET_SCHEMA_ATTRIBUTE_STRING is zero.
            _ = insert(types, GPointer(name), nil)
            _ = insert(attributes, GPointer(name), GPointer(value))
        }
        // SECRET_SCHEMA_DONT_MATCH_NAME
        guard let schema = schemaNew(item.schema, item.matchesSchema ? 0 : 1 << 1, types) else {
            throw .refused("cannot create the schema")
        }
        defer { schemaUnref(schema) }
        return try body(schema, attributes)
    }

    private static func free(_ text: UnsafeMutablePointer<CChar>?) { Glibc.free(text) }

    /// GList: data, next, previous.
    private func objects(of list: GPointer) -> [GPointer] {
        var objects: [GPointer] = []
        var node: GPointer? = list
        while let here = node, objects.count < 64 {
            if let object = here.load(as: GPointer?.self) { objects.append(object) }
            node = here.load(fromByteOffset: MemoryLayout<GPointer?>.stride, as: GPointer?.self)
        }
        return objects
    }

    private func free(_ list: GPointer) {
        for object in objects(of: list) { unrefObject(object) }
        freeList(list)
    }

    /// GError: domain (32 bits), code (32 bits), message.
    private func trouble(_ error: GPointer?) -> KeyringTrouble {
        guard let error else { return .refused("no reason given") }
        defer { freeError(error) }
        let message = error.load(fromByteOffset: 8, as: Text?.self).map { String(cString: $0) } ?? "no reason given"
        let line = String(decoding: message.utf8.map { $0 >= 0x20 && $0 < 0x7F ? $0 : 0x20 }.prefix(200), as: UTF8.self)
        let isMissing = [
            "ServiceUnknown", "not activatable", "autolaunch", "not provided by any", "Could not connect",
            "NameHasNoOwner", "DISPLAY",
        ]
        .contains { line.contains($0) }
        return isMissing ? .missing(line) : .refused(line)
    }
}
