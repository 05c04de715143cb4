package import Identity
package import StrictTOML

/// The content of a settings file before and after a change by foyer.
package struct SettingsChange: Hashable, Sendable {
    package let path: String
    /// Nil if there was no file.
    let before: [UInt8]?
    let after: [UInt8]
}

/// The only writer of the settings file. It changes one line and keeps the user's others. The new text is parsed before
/// it is written; if it does not have the intended effect, the file is not changed.
package struct SettingsFile {
    let path: String
    package init(_ path: String) { self.path = path }

    /// Sets a top-level string: replaces its line before the first table, or adds a first line.
    @discardableResult
    package func set(_ key: String, to value: String) throws(Failure) -> SettingsChange {
        try set(key, .text(value)) { settings in
            switch key {
            case "client": settings.defaultClient == value && settings.defaultAccount == nil
            case "theme": settings.theme == value
            case "store": settings.store == value
            default: false
            }
        }
    }

    @discardableResult
    package func set(_ key: String, to value: Bool) throws(Failure) -> SettingsChange {
        try set(key, .flag(value)) { key == "mouse" && $0.mouse == value }
    }

    private func set(_ key: String, _ value: TOMLText, isAsWanted: (Settings) -> Bool) throws(Failure)
        -> SettingsChange
    {
        let line = "\(key) = \(value.written)"
        return try change(byHand: .text("edit it yourself: \(line) before the first [header]"), isAsWanted) { lines in
            // The usual account and tenant are those of the earlier client.
            for other in key == "client" ? ["account", "tenant"] : [] { Self.unset(other, in: &lines) }
            Self.set(key, value, in: &lines)
        }
    }

    /// Sets the usual sign-in at the top of the file; nil in all members removes it.
    @discardableResult
    package func set(usual: UsualMembers) throws(Failure) -> SettingsChange {
        let members = [("client", usual.client), ("account", usual.account), ("tenant", usual.tenant)]
        let text = members.compactMap { key, value in value.map { "\(key) = \(TOMLText.text($0).written)" } }
        return try change(
            byHand: .text("edit it yourself, before the first [header]: \(text.joined(separator: ", "))")
        ) {
            UsualMembers($0.defaultClient, $0.defaultAccount, $0.defaultTenant) == usual
        } _: { lines in
            // Each new line goes to the top.
            for (key, value) in members.reversed() {
                if let value { Self.set(key, .text(value), in: &lines) } else { Self.unset(key, in: &lines) }
            }
        }
    }

    package struct UsualMembers: Hashable {
        package let client: String?
        package let account: String?
        package let tenant: String?

        package init(_ client: String?, _ account: String?, _ tenant: String?) {
            (self.client, self.account, self.tenant) = (client, account, tenant)
        }
    }

    private static func set(_ key: String, _ value: TOMLText, in lines: inout [String]) {
        let line = "\(key) = \(value.written)"
        if let place = place(of: key, in: lines) {
            lines[place] = line + comment(of: lines[place])
        } else {
            lines.insert(line, at: 0)
        }
    }

    private static func unset(_ key: String, in lines: inout [String]) {
        if let place = place(of: key, in: lines) { lines.remove(at: place) }
    }

    /// The index of a setting's line before the first table.
    private static func place(of key: String, in lines: [String]) -> Int? {
        lines.prefix { !$0.drop(while: \.isWhitespace).hasPrefix("[") }.firstIndex { isLine(of: key, $0) }
    }

    /// Sets a flag in `[stores.NAME]`, and adds that table if it is missing.
    package func set(_ key: String, ofStore name: String, to value: Bool) throws(Failure) {
        let line = "\(key) = \(TOMLText.flag(value).written)"
        let header = "[stores.\(TOMLText.key(name))]"
        func plain(_ line: String) -> String { line.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" } }
        func isAsWanted(_ settings: Settings) -> Bool {
            guard let store = settings.stores.first(where: { $0.name == name }) else { return false }
            return (key == "write" ? store.mayWrite : store.isHidden) == value
        }
        try change(byHand: .write(lines: [header, line], into: path), isAsWanted) { lines in
            guard let place = lines.firstIndex(where: { plain($0).prefix { $0 != "#" } == "[stores.\(name)]" }) else {
                if !lines.isEmpty { lines.append("") }
                lines += [header, line]
                return
            }
            let body = lines[(place + 1)...].prefix { !plain($0).hasPrefix("[") }
            if let place = body.indices.first(where: { Self.isLine(of: key, lines[$0]) }) {
                lines[place] = line + Self.comment(of: lines[place])
            } else {
                lines.insert(line, at: place + 1)
            }
        }
    }

    /// Adds a client at the end, after an empty line.
    ///
    /// - Parameter endpoints: written to `[clients.NAME.endpoints]`.
    @discardableResult
    package func add(
        client name: String, clientID: String, _ members: [(key: String, value: TOMLText)],
        endpoints: [(key: String, value: TOMLText)] = []
    ) throws(Failure) -> SettingsChange {
        try add(client: name, clientID, Self.table(name, clientID, members, endpoints))
    }

    /// - Parameter body: of ``table(_:_:_:_:)``.
    @discardableResult
    package func add(client name: String, _ clientID: String, _ body: [String]) throws(Failure) -> SettingsChange {
        try change(byHand: .write(lines: body, into: path), { $0.client(named: name)?.clientID == clientID }) {
            Self.append(body, to: &$0)
        }
    }

    /// Checks that a client could be added, before it is registered. Changes nothing.
    package func prove(client name: String) throws(Failure) {
        let body = Self.table(name, "client", [])
        let after = try changed(
            content(), byHand: .write(lines: body, into: path), { $0.client(named: name) != nil },
            { Self.append(body, to: &$0) })
        try file.prove(bytes: after.count + Self.longestClient)
    }

    /// Bytes of a client's lines.
    private static let longestClient = 16_384

    private static func append(_ body: [String], to lines: inout [String]) {
        if !lines.isEmpty { lines.append("") }
        lines += body
    }

    /// The lines of `[clients.NAME]` and its endpoints.
    package static func table(
        _ name: String, _ clientID: String, _ members: [(key: String, value: TOMLText)],
        _ endpoints: [(key: String, value: TOMLText)]
    ) -> [String] {
        guard !endpoints.isEmpty else { return table(name, clientID, members) }
        return table(name, clientID, members) + ["", "[clients.\(TOMLText.key(name)).endpoints]"] + lines(endpoints)
    }

    /// The lines of `[clients.NAME]`.
    static func table(_ name: String, _ clientID: String, _ members: [(key: String, value: TOMLText)]) -> [String] {
        ["[clients.\(TOMLText.key(name))]"] + lines([(key: "client_id", value: .text(clientID))] + members)
    }

    private static func lines(_ members: [(key: String, value: TOMLText)]) -> [String] {
        members.map { "\($0.key) = \($0.value.written)" }
    }

    /// - Parameters:
    ///   - byHand: the hint with the manual edit, if the file cannot be changed.
    ///   - isAsWanted: whether the new settings have the intended values.
    @discardableResult
    func change(byHand: Failure.Hint, _ isAsWanted: (Settings) -> Bool, _ edit: (inout [String]) -> Void)
        throws(Failure) -> SettingsChange
    {
        var before: [UInt8]?
        var after: [UInt8] = []
        try file.replace { () throws(Failure) in
            before = try content()
            after = try changed(before, byHand: byHand, isAsWanted, edit)
            return after
        }
        return SettingsChange(path: path, before: before, after: after)
    }

    /// Undoes a change, in the file that it was made in.
    ///
    /// - Throws: `configuration` if the file is not as the change left it.
    package static func undo(_ change: SettingsChange) throws(Failure) {
        let file = SettingsFile(change.path)
        try file.file.replace { () throws(Failure) in
            guard try file.content() == change.after else {
                throw Failure(.configuration, "\(change.path) has changed since", hint: "edit it yourself")
            }
            return change.before ?? []
        }
    }

    private func content() throws(Failure) -> [UInt8]? {
        try TextFile.readTrusted(path, limit: Settings.maximumSize, what: "settings file")
    }

    /// Every line, after a final line break an empty one; none if the file cannot be read.
    var lines: [String] {
        let text = String(decoding: (try? content()) ?? [], as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func changed(
        _ bytes: [UInt8]?, byHand: @autoclosure () -> Failure.Hint, _ isAsWanted: (Settings) -> Bool,
        _ edit: (inout [String]) -> Void
    ) throws(Failure) -> [UInt8] {
        guard let before = String(validating: bytes ?? [], as: UTF8.self) else {
            throw Failure(.configuration, "\(path) is not UTF-8", hint: "save it as UTF-8")
        }
        var lines = before.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        edit(&lines)
        let text = lines.joined(separator: "\n") + "\n"
        var isRight = false
        if text.utf8.count <= Settings.maximumSize,
            let settings = try? SettingsReader(path: path, text: text).settings()
        {
            isRight = isAsWanted(settings)
        }
        guard isRight else {
            throw Failure(.configuration, "\(path) not changed: the edit would break it", hint: byHand())
        }
        return Array(text.utf8)
    }

    static func isLine(of key: String, _ line: String) -> Bool {
        line.contains("=") && line.prefix { $0 != "=" }.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" } == key
    }

    private static func comment(of line: String) -> String {
        StrictTOML.comment(ofLine: line.hasSuffix("\r") ? String(line.dropLast()) : line) ?? ""
    }

    package func replace(with bytes: [UInt8], mode: UInt32? = nil) throws(Failure) {
        try file.replace(with: bytes, mode: mode)
    }

    package func clearLeftovers() { file.clearLeftovers() }

    private var file: ReplacedFile { ReplacedFile(path, what: "settings file") }
}
