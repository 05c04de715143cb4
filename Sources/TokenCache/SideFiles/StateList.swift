package import FoundationEssentials
package import StrictJSON

package protocol StateEntry: JSONStored, Equatable, Sendable {
    /// Whether it is still valid; other entries are neither read nor written again.
    func holds(at now: Date) -> Bool
}

extension StateEntry {
    package func holds(at now: Date) -> Bool { true }
}

/// The JSON format of a list of entries: `{"version": 1, "NAME": [ENTRY, …]}`.
package struct ListFormat<Entry: JSONStored>: Sendable {
    /// Nil if the list is the top-level value.
    private let name: String?
    /// Nil for files without a version.
    private let version: Int64?
    package let maximumBytes: Int
    /// Maximum number of entries; the oldest are dropped.
    package let most: Int
    private let isNewestFirst: Bool
    /// Whether the list is an object that maps each entry's `name` to its `value`.
    private let isByName: Bool

    /// - Parameter most: maximum number of entries; the oldest are dropped.
    package init(
        _ name: String?, version: Int64? = 1, maximumBytes: Int, most: Int, isNewestFirst: Bool = false,
        isByName: Bool = false
    ) {
        (self.name, self.version, self.maximumBytes, self.most) = (name, version, maximumBytes, most)
        (self.isNewestFirst, self.isByName) = (isNewestFirst, isByName)
    }

    /// The valid entries; nil for another version or, in a format without versions, without the list.
    package func entries(_ bytes: [UInt8]) throws(JSONError) -> [Entry]? {
        let value = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: maximumBytes))
        let list: JSONValue? = if let name { value[name] } else { value }
        let items =
            isByName
            ? list?.object?.members.map { ["name": .string($0.name), "value": $0.value] as JSONValue } : list?.array
        guard version.map({ value["version"]?.integer == $0 }) ?? (items != nil) else { return nil }
        return bounded((items ?? []).compactMap { Entry($0) })
    }

    package func bytes(_ entries: [Entry]) -> [UInt8] {
        let items = bounded(entries).map(\.json)
        let list: JSONValue =
            isByName
            ? .object(JSONObject(items.map { JSONMember(name: $0["name"]?.string ?? "", value: $0["value"] ?? .null) }))
            : .array(items)
        var members = version.map { [JSONMember(name: "version", value: JSONValue(integerLiteral: $0))] } ?? []
        if let name { members.append(JSONMember(name: name, value: list)) }
        return Array(((name == nil ? list : .object(JSONObject(members))).serialized() + "\n").utf8)
    }

    private func bounded(_ entries: [Entry]) -> [Entry] {
        Array(isNewestFirst ? entries.prefix(most) : entries.suffix(most))
    }
}

/// A small file with a list that several processes change without overwriting each other's entries.
package struct StateList<Entry: StateEntry>: Sendable {
    private let file: StateFile
    private let format: ListFormat<Entry>

    package init(path: String, _ format: ListFormat<Entry>, lockWait: Duration = .seconds(1)) {
        file = StateFile(path: path, maximumBytes: format.maximumBytes, lockWait: lockWait)
        self.format = format
    }

    package func read(at now: Date = Date()) -> [Entry] {
        (try? entries(at: now)) ?? []
    }

    /// - Throws: if the file cannot be read: that does not make the list empty.
    private func entries(at now: Date) throws(StoreError) -> [Entry] {
        let bytes: [UInt8]?
        do throws(StoreError) { bytes = try file.read() } catch {
            // Nothing of ours is that long.
            guard case .tooLarge = error.situation else { throw error }
            return []
        }
        guard let bytes, let entries = try? format.entries(bytes) else { return [] }
        return entries.filter { $0.holds(at: now) }
    }

    /// Changes the valid entries. Writes nothing if the body changes nothing.
    package func change(at now: Date = Date(), _ body: (inout [Entry]) -> Void) throws(StoreError) {
        try file.holding { () throws(StoreError) in
            let before = try entries(at: now)
            var after = before
            body(&after)
            after.removeAll { !$0.holds(at: now) }
            if after != before { try file.put(format.bytes(after)) }
        }
    }

    /// Removes temporary files and locks of killed processes.
    package func clearLeftovers() { file.clearLeftovers() }
}
