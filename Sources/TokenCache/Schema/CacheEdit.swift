import Identity
import StrictJSON

/// Changes to a snapshot, collected by entry and then written as one text. Unchanged content keeps its bytes: unknown
/// sections and fields, order, whitespace.
struct CacheEdit {
    /// A field and its new value; nil removes the field.
    typealias Field = (name: String, text: String?)

    let snapshot: CacheSnapshot
    private var changes: [Section: JSONChanges] = [:]

    init(_ snapshot: CacheSnapshot) { self.snapshot = snapshot }

    /// The new content; nil if nothing changed.
    var text: [UInt8]? {
        let changed = changes.filter { !$0.value.isEmpty }
        guard !changed.isEmpty else { return nil }
        guard let outline = snapshot.outline else {
            let order: [Section] = [
                .accessToken, .account, .idToken, .refreshToken, .appMetadata, .accountMetadata, .legacy,
            ]
            let sections = order.compactMap { section in
                changed[section].map { (section.rawValue, JSONLayout.pretty.object($0.appended, level: 2)) }
            }
            return JSONLayout.pretty.object(sections, level: 1)
        }
        var root = JSONChanges()
        for section in Section.allCases {
            guard let change = changed[section] else { continue }
            if let index = outline.sections.indices.first(where: { outline.isNamed(outline.sections[$0], section.name) }
            ) {
                root.replaced[index] = outline.rewritten(section: outline.sections[index], change)
            } else {
                root.appended.append((section.rawValue, outline.layout.object(change.appended, level: 2)))
            }
        }
        return outline.rewritten(root)
    }

    /// The entries that it removes or changes, as a store of their own; nil if there are none, or one of their names
    /// cannot be decoded.
    var formerEntries: [UInt8]? {
        var sections: [(name: String, value: [UInt8])] = []
        for section in Section.allCases {
            guard let change = changes[section] else { continue }
            var entries: [(name: String, value: [UInt8])] = []
            for entry in snapshot.entries(section)
            where change.removed.contains(entry.index) || change.replaced[entry.index] != nil {
                guard let key = entry.key else { return nil }
                entries.append((key, Array(entry.outline.source(of: entry.node))))
            }
            if !entries.isEmpty { sections.append((section.rawValue, JSONLayout.pretty.object(entries, level: 2))) }
        }
        return sections.isEmpty ? nil : JSONLayout.pretty.object(sections, level: 1)
    }

    func keptEntries(of section: Section) -> [CacheEntry] {
        snapshot.entries(section).filter { !(changes[section]?.removed.contains($0.index) ?? false) }
    }

    private var layout: JSONLayout { snapshot.outline?.layout ?? .pretty }

    mutating func remove(_ entry: CacheEntry, from section: Section) {
        changes[section, default: JSONChanges()].removed.insert(entry.index)
    }

    /// Sets fields of an entry; its key and other fields stay unchanged.
    mutating func update(_ entry: CacheEntry, in section: Section, _ fields: [Field]) {
        let outline = entry.outline
        var change = JSONChanges()
        let known = outline.fields(of: entry.node)
        for field in fields {
            let index = known.indices.first {
                outline.name(of: known[$0]).map { $0.utf8.elementsEqual(field.name.utf8) } ?? false
            }
            switch (index, field.text) {
            case (let index?, let text?):
                guard !outline.isString(known[index], equalTo: Array(text.utf8)) else { continue }
                change.replaced[index] = JSONValue.asciiQuoted(text)
            case (let index?, nil): change.removed.insert(index)
            case (nil, let text?): change.appended.append((field.name, JSONValue.asciiQuoted(text)))
            case (nil, nil): break
            }
        }
        guard !change.isEmpty else { return }
        changes[section, default: JSONChanges()].replaced[entry.index] = outline.rewritten(entry: entry.node, change)
    }

    /// Adds an entry. If its key is taken by an unrelated entry, a number is appended: readers match fields, not keys.
    mutating func insert(_ key: String, in section: Section, _ fields: [Field]) {
        insert(
            key, in: section,
            layout.object(
                fields.compactMap { field in field.text.map { (field.name, JSONValue.asciiQuoted($0)) } }, level: 3))
    }

    /// - Parameter value: the entry's JSON text.
    mutating func insert(_ key: String, in section: Section, _ value: [UInt8]) {
        var change = changes[section, default: JSONChanges()]
        defer { changes[section] = change }
        var free = key
        var number = 1
        while let outline = snapshot.outline, let node = outline.section(named: section.name) {
            let entries = outline.entries(of: node)
            let holder = entries.indices.first {
                outline.name(of: entries[$0]).map { $0.utf8.elementsEqual(free.utf8) } ?? false
            }
            guard let holder else { break }
            if change.removed.contains(holder) || !outline.isObject(entries[holder]) {
                change.removed.remove(holder)
                change.replaced[holder] = value
                return
            }
            number += 1
            free = "\(key)-\(number)"
        }
        change.appended.append((free, value))
    }
}

// MARK: Removal

extension CacheEdit {
    /// - Parameter keepsAccount: whether the account stays listed, without anything of this client.
    mutating func forget(_ account: AccountID, clientID: String, keepsAccount: Bool = false) -> Int {
        let client = WantedClient(clientID)
        var count = 0
        var isHeldByOthers = false
        for entry in snapshot.person(account, in: .accountMetadata) where entry.isPendingRevocation {
            if entry.isOf(client) { remove(entry, from: .accountMetadata) } else { isHeldByOthers = true }
        }
        for section in Section.credentials {
            for entry in snapshot.person(account, in: section) {
                if entry.isOf(client) {
                    remove(entry, from: section)
                    count += 1
                } else if entry.hasSecret {
                    isHeldByOthers = true
                }
            }
        }
        if !isHeldByOthers, !keepsAccount {
            for entry in snapshot.person(account, in: .account) {
                remove(entry, from: .account)
                count += 1
            }
            forgetFormerUsernames(of: account)
        }
        let canBeRestored = count > 0 && snapshot.canBeRestored(account, clientID: clientID)
        let pending = removeLegacy(of: account, clientID: clientID)
        // The mark guards against credentials of other clients. Without any, it would only hide the account from this
        // client after another program signs in. Unknown accounts get no mark.
        if isHeldByOthers || canBeRestored || keepsAccount {
            markSignedOut(account, clientID: clientID)
        } else {
            clearMarks(of: account, clientID: clientID)
        }
        return count + pending
    }

    mutating func forgetRevocations(of account: AccountID, clientID: String) {
        let client = WantedClient(clientID)
        for entry in snapshot.person(account, in: .accountMetadata)
        where entry.isPendingRevocation && entry.isOf(client) {
            remove(entry, from: .accountMetadata)
        }
    }

    mutating func wipe(_ account: AccountID) -> Int {
        var count = removeLegacy(of: account, clientID: nil)
        for section in Section.allCases where section != .appMetadata && section != .legacy {
            for entry in snapshot.person(account, in: section) {
                remove(entry, from: section)
                if section != .accountMetadata { count += 1 }
            }
        }
        return count
    }

    mutating func forgetRefreshToken(_ secret: Secret, clientID: String) {
        guard !secret.isEmpty else { return }
        let wanted = Array(secret.reveal().utf8)
        let client = WantedClient(clientID)
        for entry in snapshot.entries(.refreshToken)
        where entry.isOf(client) && entry.isEqual("secret", wanted) {
            remove(entry, from: .refreshToken)
        }
    }

    mutating func setFamily(_ family: String, clientID: String, environment: String) {
        let client = WantedClient(clientID)
        let names = EnvironmentNames(environment)
        let found = snapshot.entries(.appMetadata).filter { $0.isOf(client) && $0.isIn(names) }
        for entry in found { update(entry, in: .appMetadata, [("family_id", family)]) }
        guard found.isEmpty else { return }
        // MSAL for Python writes this key as given, the others in lowercase. For Entra ID client IDs both are the same.
        insert(
            "appmetadata-\(environment)-\(clientID)", in: .appMetadata,
            [("client_id", clientID), ("environment", environment), ("family_id", family)])
    }
}
