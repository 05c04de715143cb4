import Identity
import TOMLKit
import TokenCache

/// A table of the settings file. Its errors have a line number and a correction.
struct SettingsSection {
    let reader: SettingsReader
    let table: TOMLTable
    /// The names of the settings in it, sorted. Most are not set, and asking the parser for each costs a call into C++.
    let names: [String]
    /// The name in its header; nil for the top of the file.
    let name: String?
    /// The first line, if it cannot be found by name.
    let line: Int?

    init(reader: SettingsReader, table: TOMLTable, name: String?, line: Int? = nil) {
        (self.reader, self.table, self.name, self.line) = (reader, table, name, line)
        names = table.keys.sorted()
    }

    subscript(key: String) -> TOMLValue? {
        guard names.contains(key) else { return nil }
        return table[key]
    }

    private var start: Int { line ?? name.map(reader.headerLine) ?? 1 }

    func wrong(_ key: String, _ what: String, write: String) -> Failure {
        reader.wrong(line: reader.line(of: key, from: start), what, write: write)
    }

    func wrong(_ what: String, write: String) -> Failure { reader.wrong(line: start, what, write: write) }

    func refuseUnknown(_ known: [SettingsTable.Setting]) throws(Failure) {
        try refuseUnknown(SettingsTable.names(known))
    }

    func refuseUnknown(_ known: [String]) throws(Failure) {
        for key in names where !known.contains(key) {
            throw wrong(
                key, "unknown setting \"\(key)\"", write: "one of: " + known.joined(separator: ", "))
        }
    }

    // MARK: Nested tables

    /// - Parameter title: its name in the error message.
    func section(_ key: String, title: String? = nil, write: @autoclosure () -> String)
        throws(Failure) -> SettingsSection?
    {
        guard let value = self[key] else { return nil }
        guard let table = value.table else { throw wrong(key, "\(title ?? key) must be a table", write: write()) }
        return SettingsSection(reader: reader, table: table, name: name.map { "\($0).\(key)" } ?? key)
    }

    /// The tables in a nested table, such as `[clients.NAME]`, sorted by name.
    func sections<Value>(
        _ key: String, write: @autoclosure () -> String, _ body: (String, SettingsSection) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        guard let outer = try section(key, write: write()) else { return [] }
        var values: [Value] = []
        for name in outer.names {
            let title = "\(key).\(name)"
            guard let inner = try outer.section(name, title: title, write: "[\(title)]") else { continue }
            values.append(try body(name, inner))
        }
        return values
    }

    // MARK: Values

    func text(_ key: String) throws(Failure) -> String? {
        guard let value = self[key] else { return nil }
        guard let text = value.string else { throw wrong(key, "\(key) must be a string", write: "\(key) = \"…\"") }
        return text
    }

    func texts(_ key: String) throws(Failure) -> [String] {
        guard let value = self[key] else { return [] }
        let texts = value.array?.map(\.string)
        guard let texts, texts.allSatisfy({ $0 != nil }) else {
            throw wrong(key, "\(key) must be a list of strings", write: "\(key) = [\"…\"]")
        }
        return texts.compactMap { $0 }
    }

    func flag(_ key: String) throws(Failure) -> Bool? {
        guard let value = self[key] else { return nil }
        guard let flag = value.bool else {
            throw wrong(key, "\(key) must be true or false", write: "\(key) = true")
        }
        return flag
    }

    /// - Parameter kind: the noun in the error message.
    func word<Word: RawRepresentable<String>>(_ key: String, _ kind: String, write: @autoclosure () -> String)
        throws(Failure) -> Word?
    {
        guard let text = try text(key) else { return nil }
        guard let word = Word(rawValue: text) else { throw wrong(key, "unknown \(kind) \"\(text)\"", write: write()) }
        return word
    }

    func address(_ key: String) throws(Failure) -> WebAddress? {
        guard let text = try text(key) else { return nil }
        do { return try WebAddress(text) } catch {
            throw wrong(key, error.description, write: "\(key) = \"https://…\"")
        }
    }

    /// A duration from a minute to a week: a number and `m`, `h` or `d`.
    func time(_ key: String) throws(Failure) -> Duration? {
        guard let text = try text(key) else { return nil }
        guard let time = SettingsTime.duration(text) else {
            throw wrong(key, "\(key) must be 1m to 7d", write: "\(key) = \"8h\" (m, h or d)")
        }
        return time
    }

    func store(_ key: String) throws(Failure) -> String? {
        guard let text = try text(key) else { return nil }
        do { _ = try StoreSpec(text) } catch {
            throw wrong(
                key, error.message, write: "\(key) = \"file:PATH\", \"encrypted:PATH\" or \"keyring:NAME\"")
        }
        return text
    }
}
