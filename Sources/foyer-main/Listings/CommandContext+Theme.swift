import CommandSupport
import Identity
import Terminal

extension CommandContext {
    /// The theme of the settings.
    func theme() throws(Failure) -> Theme { try theme(named: settings.theme ?? "default") }

    func theme(named name: String) throws(Failure) -> Theme {
        do {
            return try Theme.load(name: name, searchPath: themePath, distrust: TextFile.distrust(of: "theme"))
        } catch {
            throw Failure(.configuration, error.message, hint: .text(error.hint))
        }
    }

    /// The bundled ones first.
    var themeNames: [String] {
        let own = themePath.flatMap { Folder.names(in: $0) }.filter { $0.hasSuffix(".toml") }
            .map { String($0.dropLast(5)) }.filter(\.isPlainName)
        return Theme.bundledNames + Set(own).subtracting(Theme.bundledNames).sorted().prefix(200)
    }

    private var themePath: [String] {
        [environment.configFolder + "/themes", "/usr/local/share/foyer/themes", "/usr/share/foyer/themes"]
    }
}
