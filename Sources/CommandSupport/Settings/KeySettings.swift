import Identity
import TOMLKit

extension SettingsSection {
    /// `[keys.SCREEN]` with `COMMAND = "KEY"` or a list of keys.
    func keys() throws(Failure) -> KeySettings {
        guard let places = try section("keys", write: "[keys.picker]")?.table else { return .none }
        return KeySettings(
            places: places.keys.sorted().map { name in
                let section = "keys.\(name)"
                let commands = places[name]?.table.map { table in
                    table.keys.sorted().map { word in
                        let texts = table[word]?.string.map { [$0] } ?? table[word]?.array?.map { $0.string ?? "" }
                        return KeySettings.Binding(
                            name: word, line: reader.line(of: word, in: section), keys: texts ?? [])
                    }
                }
                return KeySettings.Place(name: name, line: reader.headerLine(section), commands: commands)
            })
    }
}
