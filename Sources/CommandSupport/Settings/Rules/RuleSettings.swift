package import Identity
import StrictTOML
import TOMLKit

/// `[[rules]]`.
extension SettingsSection {
    private static let header: StaticString = "[[rules]]"

    func rules(clients: [ClientChoice]) throws(Failure) -> [ProgramRule] {
        guard let value = self["rules"] else { return [] }
        let header = "\(Self.header)"
        guard let list = value.array else { throw wrong("rules", "rules must be [[rules]] tables", write: header) }
        var rules: [ProgramRule] = []
        let lines = reader.lines(ofTables: Self.header)
        for (index, item) in list.enumerated() {
            let line = lines.indices.contains(index) ? lines[index] : lines.last ?? 1
            guard let table = item.table else {
                throw reader.wrong(line: line, "rules must be [[rules]] tables", write: header)
            }
            rules.append(
                try SettingsSection(reader: reader, table: table, name: nil, line: line).rule(line: line, clients))
        }
        return rules
    }

    private func rule(line: Int, _ clients: [ClientChoice]) throws(Failure) -> ProgramRule {
        try refuseUnknown(SettingsTable.rule)
        func text(_ key: String) throws(Failure) -> String? {
            let text = try self.text(key)
            guard text?.isEmpty != true else { throw wrong(key, "\(key) must not be empty", write: "\(key) = \"…\"") }
            return text
        }
        var rule = ProgramRule([:], line: line)
        for condition in ProgramRule.Condition.allCases {
            rule.conditions[condition] = try text(condition.rawValue).map {
                ConditionValue(settings: $0, of: condition)
            }
        }
        for condition in [ProgramRule.Condition.host, .registry] {
            if let host = rule.conditions[condition]?.text, host.contains("/") || host.dropFirst(2).contains("*") {
                throw wrong(
                    condition.rawValue, "\(condition.rawValue) must be a host name",
                    write: "\(condition.rawValue) = \"git.example.org\" or \"*.example.org\"")
            }
        }
        rule.client = try text("client")
        rule.account = try text("account")
        rule.tenant = try text("tenant")
        if let value = self["scopes"] {
            let scopes = value.array?.map(\.string) ?? [nil]
            guard scopes.allSatisfy({ $0.map(ScopeSet.isScope) ?? false }) else {
                throw wrong("scopes", "scopes must be a list of scopes", write: "scopes = [\"…\"]")
            }
            rule.scopes = scopes.compactMap { $0 }
        }
        rule.agents = try flag("agents")
        if let client = rule.client, !clients.contains(where: { $0.name == client || $0.clientID == client }),
            Client.wellKnown(client) == nil, !client.isGUID
        {
            throw wrong(
                "client", "unknown client \"\(client)\"",
                write: "one of: " + (clients.map(\.name) + ["azure-cli"]).joined(separator: ", "))
        }
        // A rule with a cluster allows tokens to go there and need not choose an account.
        guard
            rule.conditions[.cluster] != nil || rule.client != nil || rule.account != nil || rule.tenant != nil
                || !rule.scopes.isEmpty || rule.agents != nil
        else { throw wrong("the rule sets nothing", write: "client, account, tenant, scopes or agents into it") }
        return rule
    }
}

extension SettingsFile {
    /// The lines of a rule in the file, including comments; empty if the file has changed since.
    package func text(of rule: ProgramRule) -> [String] {
        let lines = lines
        func isHeader(_ line: String) -> Bool { line.drop(while: \.isWhitespace).hasPrefix("[") }
        guard lines.indices.contains(rule.line - 1), isHeader(lines[rule.line - 1]) else { return [] }
        var text = Array(lines[rule.line...].prefix { !isHeader($0) })
        while let last = text.last, last.allSatisfy(\.isWhitespace) { text.removeLast() }
        return [lines[rule.line - 1]] + text
    }

    /// Appends rules to the content of a settings file.
    ///
    /// - Throws: `configuration` if the edited text would not parse to these rules.
    package func adding(_ rules: [ProgramRule], to bytes: [UInt8]?) throws(Failure) -> [UInt8] {
        try changed(bytes, byHand: .write(lines: rules.flatMap(\.lines), into: path)) { settings in
            settings.rules.suffix(rules.count).map(\.lines) == rules.map(\.lines)
        } _: { lines in
            for rule in rules { lines += (lines.isEmpty ? [] : [""]) + rule.lines }
        }
    }

    /// Removes rules, given by their lines, if they are unchanged since foyer wrote them.
    package func removing(rules texts: [String], from bytes: [UInt8]) throws(Failure) -> [UInt8] {
        var count = 0
        let before = try? SettingsReader(path: path, text: String(decoding: bytes, as: UTF8.self)).settings()
        func isMember(_ line: String) -> Bool {
            line.first { !$0.isWhitespace }.map { $0 != "#" && $0 != "[" } ?? false
        }
        func isHeader(_ line: String) -> Bool { line.first { !$0.isWhitespace } == "[" }
        let after = try changed(bytes, byHand: .text("remove by hand: \(texts.joined(separator: " "))")) { settings in
            settings.rules.count + count == before?.rules.count
        } _: { lines in
            for text in texts.map({ $0.split(separator: "\n").map(String.init) }) {
                let place = lines.indices.first { place in
                    lines[place...].starts(with: text)
                        && !lines[(place + text.count)...].prefix { !isHeader($0) }.contains(where: isMember)
                }
                guard let place else { continue }
                lines.removeSubrange(place..<(place + text.count))
                count += 1
                if place > 0, lines[place - 1].isEmpty { lines.remove(at: place - 1) }
            }
        }
        return count == 0 ? bytes : after
    }

    /// Adds a rule, separated by an empty line.
    ///
    /// - Parameter next: a rule that matches the same requests, so the new one goes before it; nil appends.
    @discardableResult
    package func add(rule: ProgramRule, before next: ProgramRule? = nil) throws(Failure) -> SettingsChange {
        try change(byHand: .write(lines: rule.lines, into: path)) { settings in
            settings.rules.contains {
                $0.conditions == rule.conditions && $0.account == rule.account && $0.scopes == rule.scopes
                    && $0.agents == rule.agents
            }
        } _: {
            Self.insert(rule, before: next, into: &$0)
        }
    }

    /// The line at which ``add(rule:before:)`` would write a rule now.
    package func line(ofAdding rule: ProgramRule, before next: ProgramRule?) -> Int {
        var lines = lines
        if lines.last?.isEmpty == true { lines.removeLast() }
        return Self.insert(rule, before: next, into: &lines)
    }

    /// - Returns: the line of the rule's header, counted from one.
    @discardableResult
    static func insert(_ rule: ProgramRule, before next: ProgramRule?, into lines: inout [String]) -> Int {
        if let next, lines.indices.contains(next.line - 1) {
            lines.insert(contentsOf: rule.lines + [""], at: next.line - 1)
            return next.line
        }
        if !lines.isEmpty { lines.append("") }
        lines += rule.lines
        return lines.count - rule.lines.count + 1
    }
}

extension ProgramRule {
    package var lines: [String] {
        ["[[rules]]"] + members.map { "\($0.key) = \(TOMLText.text($0.value).written)" }
            + (scopes.isEmpty ? [] : ["scopes = \(TOMLText.texts(scopes).written)"])
            + (agents.map { ["agents = \($0)"] } ?? [])
    }
}
