package import Identity
import StrictTOML

extension ProgramRule {
    /// Whether it is for everything in a folder: foyer's own commands and all programs.
    package var isOfFolder: Bool { conditions.count == 1 && conditions[.directory] != nil }
}

extension SettingsFile {
    /// Sets client, account and tenant of a folder's rule. Its other lines stay; a new rule goes before a rule that the
    /// folder has from a folder above it.
    ///
    /// - Parameters:
    ///   - rule: nil in all three members removes the rule, unless it sets more.
    ///   - rules: of the settings, as they are in the file now.
    ///   - next: the rule that is in effect in the folder, if another folder's.
    @discardableResult
    package func set(folder rule: ProgramRule, among rules: [ProgramRule], before next: ProgramRule?) throws(Failure)
        -> SettingsChange
    {
        let old = rules.first { $0.isOfFolder && $0.conditions == rule.conditions }
        let text = old.map(text(of:)) ?? []
        guard old == nil || !text.isEmpty else {
            throw Failure(.configuration, "\(path) has changed since", hint: "run the command again")
        }
        let isUnset = rule.client == nil && rule.account == nil && rule.tenant == nil
        var wanted = rule
        (wanted.scopes, wanted.agents) = (old?.scopes ?? [], old?.agents)
        let isRemoved = isUnset && wanted.scopes.isEmpty && wanted.agents == nil
        return try change(byHand: .write(lines: wanted.lines, into: path)) { settings in
            let now = settings.rules.first { $0.isOfFolder && $0.conditions == rule.conditions }
            guard let now else { return isRemoved }
            return (now.client, now.account, now.tenant, now.scopes, now.agents)
                == (wanted.client, wanted.account, wanted.tenant, wanted.scopes, wanted.agents)
        } _: { lines in
            guard let old else { return _ = Self.insert(wanted, before: next, into: &lines) }
            let place = old.line - 1
            guard !isRemoved else {
                lines.removeSubrange(place..<(place + text.count))
                if place > 0, lines[place - 1].isEmpty { lines.remove(at: place - 1) }
                return
            }
            let replaced = ["client", "account", "tenant"]
            var kept = text.filter { line in !replaced.contains { Self.isLine(of: $0, line) } }
            let members = rule.members.filter { replaced.contains($0.key) }.map {
                "\($0.key) = \(TOMLText.text($0.value).written)"
            }
            let condition = kept.firstIndex { Self.isLine(of: "directory", $0) } ?? 0
            kept.insert(contentsOf: members, at: condition + 1)
            lines.replaceSubrange(place..<(place + text.count), with: kept)
        }
    }
}
