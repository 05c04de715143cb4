import Identity
import TOMLKit

extension SettingsReader {
    /// `[keys.PLACE]` with `COMMAND = "KEY"` or a list of keys.
    func keys(_ table: TOMLTable) throws(Failure) -> KeySettings {
        guard let value = table["keys"] else { return .none }
        guard let places = value.table else {
            throw wrong(line: line(of: "keys", in: nil), "keys is not a table", write: "[keys.picker]")
        }
        return KeySettings(
            places: places.keys.sorted().map { name in
                let section = "keys.\(name)"
                let commands = places[name]?.table.map { table in
                    table.keys.sorted().map { word in
                        let texts = table[word]?.string.map { [$0] } ?? table[word]?.array?.map { $0.string ?? "" }
                        return KeySettings.Binding(
                            name: word, line: line(of: word, in: section), keys: texts ?? [])
                    }
                }
                return KeySettings.Place(name: name, line: headerLine(section), commands: commands)
            })
    }
}
